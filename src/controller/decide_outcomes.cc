// Outcomes: evidence of the second rank. A batch counts once; where most of what a proxy's latest outcomes say is that
// it could not be reached, it is SUSPECT and checked at once, and so a routing's TARGET where what lay behind it
// failed. Contract: ReportOutcomes; design: health.md "Outcomes".

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "controller/decide.h"
#include "controller/proto_time.h"
#include "controller/reducer.h"
#include "controller/rule_constant.h"
#include "controller/session_rules.h"

namespace holdfast {
namespace {

using controlplane::v1::Outcome;
using controlplane::v1::ReportOutcomesRequest;
using controlplane::v1::ReportOutcomesResponse;

constexpr std::uint64_t kSequenceJump = RuleConstant<std::uint64_t>(1ull << 32, 0);  // above the last one: a fault

// What a batch says of each (proxy, routing), in the order of first mention.
class Batch {
 public:
  Batch(const ControllerState& state, OutcomesAccepted& out) : routings_(state.routings()), out_(out) {}

  void Add(ProxyKey proxy, const Outcome& outcome) {
    if (outcome.error() == controlplane::v1::OUTCOME_ERROR_CANCELLED) return;  // the client's own doing
    const bool failed = outcome.error() != controlplane::v1::OUTCOME_ERROR_NONE &&
                        outcome.error() != controlplane::v1::OUTCOME_ERROR_UNSPECIFIED;
    const bool reached = outcome.phase() != controlplane::v1::OUTCOME_PHASE_DIAL &&
                         outcome.phase() != controlplane::v1::OUTCOME_PHASE_PROXY_HANDSHAKE;
    Note(proxy, RoutingKey(), outcome.count(), failed && !reached);
    if (!reached || outcome.routing_id().empty()) return;
    const RoutingKey routing = KeyOf(outcome.routing_id());
    if (routing.value() != 0) Note(proxy, routing, outcome.count(), failed);
  }

 private:
  RoutingKey KeyOf(std::string_view id) {
    if (id != latest_id_) {
      latest_id_ = id;
      latest_ = routings_.KeyOf(id);
    }
    return latest_;
  }
  void Note(ProxyKey proxy, RoutingKey routing, std::uint32_t count, bool failed) {
    const std::uint64_t place = std::uint64_t{proxy.value()} << 32 | routing.value();
    const auto [found, added] = columns_.try_emplace(place, out_.proxies.size());
    if (added) {
      out_.proxies.push_back(proxy);
      out_.routings.push_back(routing);
      out_.counts.push_back(0);
      out_.failed.push_back(0);
    }
    const std::uint32_t like = std::clamp<std::uint32_t>(count, 1, Outcomes::kMostKept);
    const std::uint64_t ones = failed ? (std::uint64_t{1} << like) - 1 : 0;
    std::uint32_t& bits = out_.failed[found->second];
    bits = static_cast<std::uint32_t>(std::uint64_t{bits} << like | ones);
    std::uint32_t& sum = out_.counts[found->second];
    sum = std::min(Outcomes::kMostKept, sum + like);
  }

  const Routings& routings_;
  OutcomesAccepted& out_;
  absl::flat_hash_map<std::uint64_t, std::size_t> columns_;  // looked up, never walked
  std::string_view latest_id_;
  RoutingKey latest_;
};

OutcomesAccepted Count(const ControllerState& state, WorkerKey worker, const ReportOutcomesRequest& request) {
  OutcomesAccepted accepted{worker, request.sequence(), 0, 0, request.dropped_total(), {}, {}, {}, {}};
  Batch batch(state, accepted);
  std::uint64_t counted = 0, ignored = 0;
  for (const Outcome& outcome : request.outcomes()) {
    const ProxyKey proxy = state.pool().FindProxy(outcome.proxy_id());
    const bool own = proxy.value() != 0 && state.ownership().hold(state.pool().proxy(proxy).address).owner == worker;
    (own ? counted : ignored) += std::max<std::uint32_t>(1, outcome.count());
    if (own) batch.Add(proxy, outcome);
  }
  const auto bounded = [](std::uint64_t count) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
  };
  accepted.counted = bounded(counted);
  accepted.ignored = bounded(ignored);
  return accepted;
}

// Whether the latest outcomes of a column, with those before it, say that it fails.
bool Fails(const ControllerState& state, const OutcomesAccepted& accepted, std::size_t column, LogTime now) {
  if (accepted.failed[column] == 0) return false;  // what failed before has been weighed before
  const Settings& settings = state.settings();
  std::vector<OutcomeSample> samples;
  if (const auto* trail = state.outcomes().Trail(accepted.proxies[column], accepted.routings[column])) {
    samples = trail->samples;
  }
  samples.push_back({now, accepted.counts[column], accepted.failed[column]});
  const auto most = static_cast<std::uint32_t>(settings.outcomes_count);
  const OutcomeTally tally = TallyOf(samples, now - settings.outcomes_window, most);
  return tally.failed >= settings.outcomes_failures && std::uint64_t{tally.failed} * 2 >= tally.count;
}

// Where nobody checks at a level, nothing would ever clear the suspicion: outcomes count only where somebody does.
void Weigh(const ControllerState& state, const OutcomesAccepted& accepted, const DecisionPoint& point,
           std::vector<Event>& events) {
  Reducer reducer(state, point);
  for (std::size_t column = 0; column < accepted.proxies.size(); ++column) {
    const bool basic = accepted.routings[column].value() == 0;
    const CheckKey key{accepted.proxies[column], basic ? CheckLevel::kBasic : CheckLevel::kTarget,
                       accepted.routings[column]};
    if (!state.checkers().ever(key.level) || state.checks().proxy(key.proxy).stopped) continue;
    if (state.health().proxy(key.proxy).Find(key.level, key.routing) == nullptr) continue;
    if (Fails(state, accepted, column, point.now)) reducer.Suspect(key);
  }
  for (Event& event : reducer.Finish()) events.emplace_back(std::move(event));
}

}  // namespace

Decision DecideOutcomes(const ControllerState& state, const ReportOutcomesRequest& request,
                        const DecisionPoint& point) {
  const SessionLookup lookup = FindSession(state, request.worker_id(), request.session_id(), request.ownership_epoch());
  if (const auto* rejection = std::get_if<Rejection>(&lookup)) return {{}, *rejection};
  const WorkerRow& worker = *std::get<const WorkerRow*>(lookup);
  const WorkerKey key = worker.opened.worker;
  const std::uint64_t highest = state.outcomes().At(key).sequence;
  if (request.sequence() > highest && request.sequence() - highest > kSequenceJump) {
    return {{},
            Rejection{RejectReason::kMalformed, "sequence is more than 2^32 above the last accepted one", "sequence"}};
  }
  Decision decision;
  ReportOutcomesResponse reply;
  reply.set_accepted_sequence(std::max(highest, request.sequence()));
  reply.set_session_state(WireState(worker.state));
  PutTime(point.now, reply.mutable_server_time());
  // At or below the highest: a batch whose answer was lost. The same answer, and no effect.
  if (request.sequence() > highest) {
    OutcomesAccepted accepted = Count(state, key, request);
    std::vector<Event> following;
    Weigh(state, accepted, point, following);
    decision.events.emplace_back(std::move(accepted));
    for (Event& event : following) decision.events.emplace_back(std::move(event));
  }
  decision.reply = std::move(reply);
  return decision;
}

}  // namespace holdfast
