// What operators send about members, alarms and the clock.

#include "controller/proto_time.h"
#include "controller/validate.h"
#include "controller/validate_field.h"

namespace holdfast {
namespace {

using namespace validation;

constexpr Duration kMostGrace = std::chrono::hours(24);
constexpr std::size_t kMostSubjectBytes = 512;  // two ids and what stands between them

Problem KindOfMember(controlplane::v1::SessionKind kind) {
  if (kind == controlplane::v1::SESSION_KIND_WORKER || kind == controlplane::v1::SESSION_KIND_CHECKER) {
    return std::nullopt;
  }
  return Malformed("kind", "is neither WORKER nor CHECKER; this version has no other members");
}

Problem Grace(const admin::v1::DrainSessionRequest& request) {
  if (!request.has_grace()) return std::nullopt;
  if (request.no_deadline()) return Malformed("no_deadline", "stands beside a grace; give one of them");
  const std::optional<Duration> grace = ReadDuration(request.grace());
  if (grace && *grace <= kMostGrace) return std::nullopt;
  return Malformed("grace", "is no time in whole microseconds from 0 to 24 h");
}

// Names a session of a member.
template <class Request>
Problem Member(const Request& request) {
  if (Problem problem = KindOfMember(request.kind())) return problem;
  return MemberId("member_id", request.member_id());
}

// What an alarm is about: a member's id, or what health froze ("target/ROUTING@CHECKER").
Problem Subject(const std::string& subject) {
  constexpr std::string_view kBetweenIds = "/@#";
  for (const char c : subject) {
    if (IsIdCharacter(c) || kBetweenIds.find(c) != std::string_view::npos) continue;
    return Malformed("subject", "is nothing that an alarm is about; `holdfast alarms` shows it");
  }
  return Text("subject", subject, kMostSubjectBytes);
}

}  // namespace

std::optional<Rejection> Validate(const admin::v1::DrainSessionRequest& request, const Settings&) {
  if (Problem problem = Member(request)) return problem;
  if (Problem problem = Grace(request)) return problem;
  if (Problem problem = Reason("reason", request.reason())) return problem;
  return OptionalMemberId("expected_session_id", request.expected_session_id());
}

std::optional<Rejection> Validate(const admin::v1::WatchDrainRequest& request, const Settings&) {
  if (Problem problem = Member(request)) return problem;
  return OptionalMemberId("session_id", request.session_id());
}

std::optional<Rejection> Validate(const admin::v1::FenceSessionRequest& request, const Settings&) {
  if (Problem problem = Member(request)) return problem;
  if (Problem problem = RequiredReason("reason", request.reason())) return problem;
  return OptionalMemberId("expected_session_id", request.expected_session_id());
}

std::optional<Rejection> Validate(const admin::v1::ReclaimProxiesRequest& request, const Settings& settings) {
  if (Problem problem = ProxyIds("proxy_ids", request.proxy_ids())) return problem;
  if (Problem problem = RequiredReason("reason", request.reason())) return problem;
  if (Problem problem = NoPasswords("proxy_ids", request.proxy_ids())) return problem;
  return AtMost("proxy_ids", static_cast<std::size_t>(request.proxy_ids_size()), settings.max_batch);
}

std::optional<Rejection> Validate(const admin::v1::SetEligibilityRequest& request, const Settings&) {
  if (Problem problem = Member(request)) return problem;
  return Reason("reason", request.reason());
}

std::optional<Rejection> Validate(const admin::v1::ClearAlarmRequest& request, const Settings&) {
  if (request.kind() == admin::v1::ALARM_KIND_UNSPECIFIED || !admin::v1::AlarmKind_IsValid(request.kind())) {
    return Malformed("kind", "is no kind of alarm that is known here");
  }
  if (Problem problem = Subject(request.subject())) return problem;
  return RequiredReason("reason", request.reason());
}

std::optional<Rejection> Validate(const admin::v1::AcceptClockRequest& request, const Settings&) {
  return RequiredReason("reason", request.reason());
}

}  // namespace holdfast
