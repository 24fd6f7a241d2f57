// Checkers' calls, and what operators ask about checks.

#include "base/ip_address.h"
#include "controller/proto_time.h"
#include "controller/validate.h"
#include "controller/validate_field.h"

namespace holdfast {
namespace {

using namespace validation;
using controlplane::v1::HealthObservation;
using controlplane::v1::RegisterCheckerRequest;
using controlplane::v1::ReportObservationsRequest;
using controlplane::v1::WatchTasksRequest;

constexpr std::size_t kMostVersionBytes = 256;
constexpr std::uint32_t kMostConcurrency = 1'000'000;
constexpr std::uint32_t kMostStatus = 999;

// A repeated enumeration, each value known and named once.
template <class Values, class IsValid>
Problem EachOnce(std::string_view field, const Values& values, IsValid&& is_valid) {
  std::uint32_t seen = 0;
  for (int i = 0; i < values.size(); ++i) {
    const std::size_t index = static_cast<std::size_t>(i);
    if (values.Get(i) == 0 || !is_valid(values.Get(i))) {
      return Malformed(Place(field, index), "is not known here; leave it out");
    }
    const std::uint32_t bit = 1u << values.Get(i);
    if (seen & bit) return Malformed(Place(field, index), "is named twice");
    seen |= bit;
  }
  return std::nullopt;
}

Problem Work(const RegisterCheckerRequest& request) {
  if (request.max_concurrency() == 0) return Malformed("max_concurrency", "is missing; it is how many tasks at once");
  if (request.max_concurrency() > kMostConcurrency) return Malformed("max_concurrency", "is above 1,000,000");
  if (request.levels().empty()) return Malformed("levels", "is empty; name what it can check");
  if (Problem problem = EachOnce("levels", request.levels(), controlplane::v1::CheckLevel_IsValid)) return problem;
  return EachOnce("capabilities", request.capabilities(), controlplane::v1::CheckerCapability_IsValid);
}

Problem Caller(const std::string& checker_id, const std::string& session_id) {
  if (Problem problem = MemberId("checker_id", checker_id)) return problem;
  return MemberId("session_id", session_id);
}

Problem Enumerations(const HealthObservation& seen, std::size_t index) {
  const auto place = [&](std::string_view member) { return Place("observations", index, member); };
  if (seen.level() == 0 || !controlplane::v1::CheckLevel_IsValid(seen.level())) {
    return Malformed(place("level"), "is not known here");
  }
  if (seen.verdict() == 0 || !controlplane::v1::Verdict_IsValid(seen.verdict())) {
    return Malformed(place("verdict"), "is not known here; it is PASS, FAIL or INCONCLUSIVE");
  }
  if (!controlplane::v1::OutcomePhase_IsValid(seen.phase())) return Malformed(place("phase"), "is not known here");
  if (!controlplane::v1::OutcomeError_IsValid(seen.error())) return Malformed(place("error"), "is not known here");
  if (!controlplane::v1::Anonymity_IsValid(seen.anonymity())) return Malformed(place("anonymity"), "is not known here");
  return std::nullopt;
}

bool IsIpAddress(const std::string& text) {
  return std::holds_alternative<IpAddress>(ParseIpv4(text)) || std::holds_alternative<IpAddress>(ParseIpv6(text));
}

Problem Observation(const HealthObservation& seen, std::size_t index) {
  const auto place = [&](std::string_view member) { return Place("observations", index, member); };
  if (Problem problem = MemberId(place("task_id"), seen.task_id())) return problem;
  if (!IsProxyId(seen.proxy_id())) return Malformed(place("proxy_id"), "is no id of a proxy");
  if (Problem problem = OptionalMemberId(place("routing_id"), seen.routing_id())) return problem;
  if (Problem problem = Enumerations(seen, index)) return problem;
  if (seen.has_latency() && !ReadDuration(seen.latency())) {
    return Malformed(place("latency"), "is negative or no whole number of microseconds");
  }
  if (!seen.egress_ip().empty() && !IsIpAddress(seen.egress_ip())) {
    return Malformed(place("egress_ip"), "is no IP address");
  }
  if (seen.http_status() > kMostStatus) return Malformed(place("http_status"), "is no HTTP status");
  return Time(place("observed_at"), seen.has_observed_at(), seen.observed_at());
}

}  // namespace

std::optional<Rejection> Validate(const RegisterCheckerRequest& request, const Settings& settings) {
  if (Problem problem = MemberId("checker_id", request.checker_id())) return problem;
  if (Problem problem = MemberId("instance_id", request.instance_id())) return problem;
  if (Problem problem = Name("zone", request.zone(), settings)) return problem;
  if (request.supported_protocol_version() == 0) {
    return Malformed("supported_protocol_version", "is missing; it counts from 1");
  }
  if (request.min_protocol_version() > request.supported_protocol_version()) {
    return Malformed("min_protocol_version", "is above supported_protocol_version");
  }
  if (Problem problem = Work(request)) return problem;
  if (Problem problem = Labels("labels", request.labels(), settings)) return problem;
  return Text("software_version", request.software_version(), kMostVersionBytes);
}

std::optional<Rejection> Validate(const WatchTasksRequest& request, const Settings&) {
  return Caller(request.checker_id(), request.session_id());
}

std::optional<Rejection> Validate(const ReportObservationsRequest& request, const Settings& settings) {
  if (Problem problem = Caller(request.checker_id(), request.session_id())) return problem;
  if (Problem problem = PositiveNumber("sequence", request.sequence())) return problem;
  if (Problem problem = Number("queued_request_count", request.queued_request_count())) return problem;
  const auto count = static_cast<std::size_t>(request.observations_size());
  for (std::size_t i = 0; i < count && i < settings.max_batch; ++i) {
    if (Problem problem = Observation(request.observations(static_cast<int>(i)), i)) return problem;
  }
  return AtMost("observations", count, settings.max_batch);
}

std::optional<Rejection> Validate(const admin::v1::ListChecksRequest& request, const Settings& settings) {
  if (Problem problem = ProxyIds("proxy_ids", request.proxy_ids())) return problem;
  if (!controlplane::v1::CheckLevel_IsValid(request.level())) return Malformed("level", "is not known here");
  if (!admin::v1::HealthState_IsValid(request.state())) return Malformed("state", "is not known here");
  if (request.has_unchecked_for() && !ReadDuration(request.unchecked_for())) {
    return Malformed("unchecked_for", "is negative or no whole number of microseconds");
  }
  return AtMost("proxy_ids", static_cast<std::size_t>(request.proxy_ids_size()), settings.max_batch);
}

std::optional<Rejection> Validate(const admin::v1::CheckProxyRequest& request, const Settings&) {
  if (!IsProxyId(request.proxy_id())) return Malformed("proxy_id", "is no id of a proxy");
  if (request.level() == 0 || !controlplane::v1::CheckLevel_IsValid(request.level())) {
    return Malformed("level", "is not known here; it is BASIC, EGRESS or TARGET");
  }
  const bool target = request.level() == controlplane::v1::CHECK_LEVEL_TARGET;
  if (target == request.routing_id().empty()) {
    return Malformed("routing_id", target ? "is missing; a TARGET check is of a routing" : "is only for TARGET");
  }
  return OptionalMemberId("routing_id", request.routing_id());
}

}  // namespace holdfast
