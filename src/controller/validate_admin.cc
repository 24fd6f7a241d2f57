// What operators send about the pool and for lists, but for the routings (validate_routings.cc).

#include "controller/validate.h"
#include "controller/validate_field.h"

namespace holdfast {
namespace {

using namespace validation;

Problem KnownEnums(std::string_view list, const google::protobuf::RepeatedField<int>& values, bool (*known)(int)) {
  for (int i = 0; i < values.size(); ++i) {
    if (values[i] != 0 && known(values[i])) continue;
    return Malformed(Place(list, static_cast<std::size_t>(i)), "is not known here");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Rejection> Validate(const admin::v1::ImportProxiesRequest& request, const Settings& settings) {
  if (Problem problem = Name("replace_source", request.replace_source(), settings)) return problem;
  return AtMost("proxies", static_cast<std::size_t>(request.proxies_size()), settings.max_batch);
}

std::optional<Rejection> Validate(const admin::v1::RemoveProxiesRequest& request, const Settings& settings) {
  if (Problem problem = ProxyIds("proxy_ids", request.proxy_ids())) return problem;
  if (Problem problem = Reason("reason", request.reason())) return problem;
  if (Problem problem = NoPasswords("proxy_ids", request.proxy_ids())) return problem;
  return AtMost("proxy_ids", static_cast<std::size_t>(request.proxy_ids_size()), settings.max_batch);
}

std::optional<Rejection> Validate(const admin::v1::ListProxiesRequest& request, const Settings& settings) {
  if (Problem problem = KnownEnums("states", request.states(), admin::v1::PoolState_IsValid)) {
    return problem;
  }
  if (Problem problem = KnownEnums("ownership_states", request.ownership_states(), admin::v1::OwnershipState_IsValid)) {
    return problem;
  }
  if (Problem problem = OptionalMemberId("owner_worker_id", request.owner_worker_id())) return problem;
  if (Problem problem = Labels("labels", request.labels(), settings)) return problem;
  if (Problem problem = ProxyIds("proxy_ids", request.proxy_ids())) return problem;
  if (Problem problem = Name("source", request.source(), settings)) return problem;
  return AtMost("proxy_ids", static_cast<std::size_t>(request.proxy_ids_size()), settings.max_batch);
}

std::optional<Rejection> Validate(const admin::v1::ListSessionsRequest& request, const Settings& settings) {
  if (!controlplane::v1::SessionKind_IsValid(request.kind())) return Malformed("kind", "is not known here");
  for (int i = 0; i < request.member_ids_size(); ++i) {
    if (Problem problem = MemberId(Place("member_ids", static_cast<std::size_t>(i)), request.member_ids(i))) {
      return problem;
    }
  }
  return AtMost("member_ids", static_cast<std::size_t>(request.member_ids_size()), settings.max_batch);
}

}  // namespace holdfast
