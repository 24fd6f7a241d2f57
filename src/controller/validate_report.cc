// Runtime reports and outcomes: the calls that come in thousands a second.

#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>

#include "controller/proto_time.h"
#include "controller/validate.h"
#include "controller/validate_field.h"

namespace holdfast {
namespace {

using namespace validation;
using controlplane::v1::Outcome;
using controlplane::v1::ProxyRuntime;
using controlplane::v1::ReportOutcomesRequest;
using controlplane::v1::ReportRuntimeRequest;
using CounterList = google::protobuf::RepeatedPtrField<ProxyRuntime>;

constexpr std::size_t kFewCounters = 64;

bool Ascends(const CounterList& counters) {
  return std::is_sorted(counters.begin(), counters.end(), [](const ProxyRuntime& a, const ProxyRuntime& b) {
    return a.proxy_id() <= b.proxy_id();  // equal neighbours do not ascend
  });
}

bool AllDiffer(const CounterList& counters) {
  absl::InlinedVector<std::string_view, kFewCounters> ids;
  ids.reserve(static_cast<std::size_t>(counters.size()));
  for (const ProxyRuntime& counter : counters) ids.push_back(counter.proxy_id());
  std::sort(ids.begin(), ids.end());
  return std::adjacent_find(ids.begin(), ids.end()) == ids.end();
}

// Only once it is known that there is one.
Problem FirstDuplicate(const CounterList& counters) {
  absl::flat_hash_set<std::string> seen;
  for (int i = 0; i < counters.size(); ++i) {
    if (seen.insert(counters[i].proxy_id()).second) continue;
    return Malformed(Place("counters", static_cast<std::size_t>(i), "proxy_id"),
                     "is listed twice; list each proxy once");
  }
  return std::nullopt;
}

Problem CheckCounters(const CounterList& counters) {
  for (int i = 0; i < counters.size(); ++i) {
    if (IsProxyId(counters[i].proxy_id())) continue;
    return Malformed(Place("counters", static_cast<std::size_t>(i), "proxy_id"),
                     "is empty, over 1,024 bytes, or holds a control character");
  }
  if (Ascends(counters) || AllDiffer(counters)) return std::nullopt;
  return FirstDuplicate(counters);
}

Problem CheckOutcome(const Outcome& outcome, std::size_t index) {
  const auto place = [&](std::string_view member) { return Place("outcomes", index, member); };
  if (!IsProxyId(outcome.proxy_id())) {
    return Malformed(place("proxy_id"), "is empty, over 1,024 bytes, or holds a control character");
  }
  if (!outcome.routing_id().empty() && !IsMemberId(outcome.routing_id())) {
    return Malformed(place("routing_id"), "is not of [A-Za-z0-9._-]{1,128}");
  }
  if (outcome.phase() == controlplane::v1::OUTCOME_PHASE_UNSPECIFIED ||
      !controlplane::v1::OutcomePhase_IsValid(outcome.phase())) {
    return Malformed(place("phase"), "is missing or not known here");
  }
  if (outcome.error() == controlplane::v1::OUTCOME_ERROR_UNSPECIFIED ||
      !controlplane::v1::OutcomeError_IsValid(outcome.error())) {
    return Malformed(place("error"), "is missing or not known here");
  }
  if (outcome.has_latency() && !ReadDuration(outcome.latency())) {
    return Malformed(place("latency"), "is no duration in whole microseconds from 0");
  }
  if (outcome.http_status() != 0 && (outcome.http_status() < 100 || outcome.http_status() > 999)) {
    return Malformed(place("http_status"), "is neither 0 nor a status of three digits");
  }
  if (outcome.has_observed_at() && !ReadTime(outcome.observed_at())) {
    return Malformed(place("observed_at"), "is no time in whole microseconds from 1970 to 9999");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Rejection> Validate(const ReportRuntimeRequest& request, const Settings& settings) {
  if (Problem problem = MemberId("worker_id", request.worker_id())) return problem;
  if (Problem problem = MemberId("session_id", request.session_id())) return problem;
  if (Problem problem = PositiveNumber("report_sequence", request.report_sequence())) return problem;
  if (Problem problem = Number("snapshot_version", request.snapshot_version())) return problem;
  if (Problem problem = Number("ownership_epoch", request.ownership_epoch())) return problem;
  if (Problem problem = Number("queued_request_count", request.queued_request_count())) return problem;
  if (Problem problem = Time("observed_at", request.has_observed_at(), request.observed_at())) return problem;
  if (Problem problem = CheckCounters(request.counters())) return problem;
  return AtMost("counters", static_cast<std::size_t>(request.counters_size()), settings.max_proxies_per_worker);
}

std::optional<Rejection> Validate(const ReportOutcomesRequest& request, const Settings& settings) {
  if (Problem problem = MemberId("worker_id", request.worker_id())) return problem;
  if (Problem problem = MemberId("session_id", request.session_id())) return problem;
  if (Problem problem = PositiveNumber("sequence", request.sequence())) return problem;
  if (Problem problem = Number("dropped_total", request.dropped_total())) return problem;
  if (Problem problem = Number("ownership_epoch", request.ownership_epoch())) return problem;
  for (int i = 0; i < request.outcomes_size(); ++i) {
    if (Problem problem = CheckOutcome(request.outcomes(i), static_cast<std::size_t>(i))) return problem;
  }
  return AtMost("outcomes", static_cast<std::size_t>(request.outcomes_size()), settings.max_batch);
}

}  // namespace holdfast
