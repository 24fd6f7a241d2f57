// What clients send, and what an operator says of their store.

#include "base/endpoint.h"
#include "controller/proto_time.h"
#include "controller/validate.h"
#include "controller/validate_field.h"

namespace holdfast {
namespace {

using namespace validation;

// Machines of one extraction: the store moves them in one call, which takes at most 500 keys.
constexpr std::uint64_t kMostMachines = 400;
constexpr std::uint64_t kMostSchemes = 16;

Problem OptionalDuration(std::string_view field, bool present, const google::protobuf::Duration& duration) {
  if (!present || ReadDuration(duration)) return std::nullopt;
  return Malformed(field, "is no time in whole microseconds from 0 on");
}

Problem Schemes(const google::protobuf::RepeatedField<int>& schemes) {
  for (int i = 0; i < schemes.size(); ++i) {
    if (SchemeFromNumber(schemes[i])) continue;
    return Malformed(Place("schemes", static_cast<std::size_t>(i)), "is not known here");
  }
  return AtMost("schemes", static_cast<std::size_t>(schemes.size()), kMostSchemes);
}

Problem Times(const distribution::v1::ExtractRequest& request) {
  if (Problem problem = OptionalDuration("min_remaining", request.has_min_remaining(), request.min_remaining())) {
    return problem;
  }
  if (Problem problem = OptionalDuration("hold", request.has_hold(), request.hold())) return problem;
  if (!request.has_hold() || *ReadDuration(request.hold()) > Duration(0)) return std::nullopt;
  return Malformed("hold", "is nothing; leave it out to hold until usable_until");
}

}  // namespace

std::optional<Rejection> Validate(const distribution::v1::ExtractRequest& request, const Settings& settings) {
  if (Problem problem = MemberId("client_id", request.client_id())) return problem;
  if (Problem problem = MemberId("request_id", request.request_id())) return problem;
  if (request.count() == 0) return Malformed("count", "is 0; ask for at least one machine");
  if (Problem problem = Labels("labels", request.labels(), settings)) return problem;
  if (Problem problem = Schemes(request.schemes())) return problem;
  if (Problem problem = Times(request)) return problem;
  if (Problem problem = OptionalMemberId("routing_id", request.routing_id())) return problem;
  return AtMost("count", request.count(), kMostMachines);
}

std::optional<Rejection> Validate(const distribution::v1::ReleaseRequest& request, const Settings& settings) {
  if (Problem problem = MemberId("extraction_id", request.extraction_id())) return problem;
  if (Problem problem = ProxyIds("proxy_ids", request.proxy_ids())) return problem;
  if (Problem problem = MemberId("client_id", request.client_id())) return problem;
  if (Problem problem = MemberId("request_id", request.request_id())) return problem;
  if (Problem problem = NoPasswords("proxy_ids", request.proxy_ids())) return problem;
  return AtMost("proxy_ids", static_cast<std::size_t>(request.proxy_ids_size()), settings.max_batch);
}

std::optional<Rejection> Validate(const admin::v1::AdoptPoolRequest& request, const Settings&) {
  return RequiredReason("reason", request.reason());
}

}  // namespace holdfast
