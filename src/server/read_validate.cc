#include "server/read_validate.h"

#include "controller/log_filter.h"
#include "controller/proto_time.h"
#include "controller/validate_field.h"

namespace holdfast::server {
namespace {

using validation::Malformed;
using validation::Problem;

constexpr std::uint64_t kMostKinds = 64;

Problem OptionalProxyId(const std::string& proxy_id) {
  if (proxy_id.empty() || IsProxyId(proxy_id)) return std::nullopt;
  return Malformed("proxy_id", "is over 1,024 bytes, or holds a control character");
}

}  // namespace

std::optional<Rejection> Validate(const audit::v1::OwnershipHistoryRequest& request) {
  if (request.proxy_id().empty() && request.holder_id().empty()) {
    return Malformed("proxy_id", "and holder_id are both missing; name at least one of them");
  }
  if (Problem problem = OptionalProxyId(request.proxy_id())) return problem;
  if (Problem problem = validation::OptionalMemberId("holder_id", request.holder_id())) return problem;
  if (Problem problem = validation::Time("from", request.has_from(), request.from())) return problem;
  if (Problem problem = validation::Time("to", request.has_to(), request.to())) return problem;
  const bool both = request.has_from() && request.has_to();
  if (both && *ReadTime(request.from()) >= *ReadTime(request.to())) {
    return Malformed("to", "is not after from; the span is from `from` up to but without `to`");
  }
  return std::nullopt;
}

std::optional<Rejection> Validate(const audit::v1::ReadLogRequest& request) {
  if (Problem problem = validation::Number("from_sequence", request.from_sequence())) return problem;
  if (Problem problem = OptionalProxyId(request.proxy_id())) return problem;
  if (Problem problem = validation::OptionalMemberId("member_id", request.member_id())) return problem;
  if (Problem problem = validation::OptionalMemberId("session_id", request.session_id())) return problem;
  for (int i = 0; i < request.kinds_size(); ++i) {
    if (IsInputKind(request.kinds(i))) continue;
    return Malformed(validation::Place("kinds", static_cast<std::size_t>(i)),
                     "is no kind of input (as \"register_worker\", \"tick\")");
  }
  return validation::AtMost("kinds", static_cast<std::size_t>(request.kinds_size()), kMostKinds);
}

}  // namespace holdfast::server
