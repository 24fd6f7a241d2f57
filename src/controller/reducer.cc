#include "controller/reducer.h"

#include <algorithm>
#include <utility>

#include "controller/check_times.h"
#include "controller/handover.h"
#include "controller/proto_time.h"
#include "controller/rule_constant.h"

namespace holdfast {
namespace {

using controlplane::v1::HealthObservation;

constexpr std::uint32_t kOneMore = RuleConstant<std::uint32_t>(1, 2);  // failure or pass in a row

// What is required and was never found out is worse than a doubt: nobody is to be given it.
int Badness(HealthState state) {
  switch (state) {
    case HealthState::kUnhealthy:
      return 3;
    case HealthState::kUnknown:
      return 2;
    case HealthState::kSuspect:
      return 1;
    default:
      return 0;
  }
}

// Where a key that is at `from` goes with so many passes or failures in a row.
HealthState After(const Settings& settings, HealthState from, std::uint32_t passes, std::uint32_t failures) {
  if (passes > 0) {
    const std::uint64_t needed =
        from == HealthState::kUnhealthy ? settings.passes_from_unhealthy : settings.passes_to_available;
    return passes >= needed ? HealthState::kAvailable : from;
  }
  if (from == HealthState::kUnhealthy || failures >= settings.failures_to_unhealthy) return HealthState::kUnhealthy;
  return failures >= settings.failures_to_suspect ? HealthState::kSuspect : from;
}

}  // namespace

PoolState PoolStateOf(const Settings& settings, HealthState basic, HealthState egress) {
  if (basic == HealthState::kUnknown) return settings.trust_unchecked ? PoolState::kAvailable : PoolState::kPending;
  const bool counts = settings.egress_required && !settings.trust_unchecked;
  if (egress == HealthState::kUnknown && !counts) egress = HealthState::kAvailable;
  const HealthState worst = Badness(basic) >= Badness(egress) ? basic : egress;
  switch (worst) {
    case HealthState::kUnhealthy:
      return PoolState::kUnhealthy;
    case HealthState::kSuspect:
      return PoolState::kSuspect;
    case HealthState::kUnknown:
      return PoolState::kPending;
    default:
      return PoolState::kAvailable;
  }
}

Reducer::Touched& Reducer::Touch(ProxyKey proxy) {
  const auto [found, added] = touched_.try_emplace(proxy);
  if (added) found->second.pool = state_.pool().proxy(proxy).state;
  return found->second;
}

HealthState Reducer::StateOf(const CheckKey& key) {
  const ProxyFindings& findings = Touch(key.proxy).findings;
  const KeyHealth* known = state_.health().proxy(key.proxy).Find(key.level, key.routing);
  const HealthState before = known == nullptr ? HealthState::kUnknown : known->state;
  if (key.level == CheckLevel::kBasic) return findings.basic.value_or(before);
  if (key.level == CheckLevel::kEgress) return findings.egress.value_or(before);
  const auto found = findings.targets.find(key.routing);
  return found == findings.targets.end() ? before : found->second;
}

// A checker may not know what is required: a pass that gives away too much is none.
Verdict Reducer::VerdictOf(const CheckKey& key, const HealthObservation& observation) const {
  const auto verdict = static_cast<Verdict>(observation.verdict());
  const bool too_open = key.level == CheckLevel::kEgress && verdict == Verdict::kPass &&
                        static_cast<std::uint64_t>(observation.anonymity()) < state_.settings().egress_min_anonymity;
  return too_open ? Verdict::kFail : verdict;
}

// Told to the guard, which reckons with what is up at this point of the decision.
void Reducer::SetUp(const CheckKey& key, const KeyHealth& before, bool up) {
  const auto [found, added] = up_.try_emplace(key, IsUp(before));
  guard_.Moved({key.level, key.routing}, std::int64_t{up} - std::int64_t{found->second});
  found->second = up;
}

// Whether its turning UNHEALTHY takes what was up: the proxy from the pool, or at TARGET from the routing.
bool Reducer::IsWeighed(const CheckKey& key) {
  const PoolState pool = Touch(key.proxy).pool;
  const bool in_use = key.level == CheckLevel::kTarget || pool == PoolState::kAvailable || pool == PoolState::kSuspect;
  return in_use && IsUp(*state_.health().proxy(key.proxy).Find(key.level, key.routing));
}

// Whether it would be one failure too many at a time when the guard holds that.
bool Reducer::IsHeld(const CheckKey& key, CheckerKey checker) {
  if (StateOf(key) == HealthState::kUnhealthy) return false;
  const GuardScope scope{key.level, key.routing};
  const bool weighed = IsWeighed(key);
  if (guard_.Holds(scope, checker, weighed, events_)) {
    return state_.health().proxy(key.proxy).Find(key.level, key.routing)->passed;
  }
  if (weighed) guard_.Demoted(scope, checker);
  return false;
}

bool Reducer::Observe(TaskId task, const HealthObservation& observation) {
  if (cancelled_.contains(task)) return false;
  const CheckTaskRow& row = *state_.checks().FindTask(task);
  const CheckKey& key = row.key;
  const KeyHealth& before = *state_.health().proxy(key.proxy).Find(key.level, key.routing);
  CheckObserved observed;
  observed.task = task;
  observed.checker = row.checker;
  observed.proxy = key.proxy;
  observed.level = key.level;
  observed.routing = key.routing;
  observed.verdict = VerdictOf(key, observation);
  observed.phase = static_cast<OutcomePhase>(observation.phase());
  observed.error = static_cast<OutcomeError>(observation.error());
  observed.latency = ReadDuration(observation.latency()).value_or(Duration(0));
  observed.egress_ip = observation.egress_ip();
  observed.anonymity = static_cast<Anonymity>(observation.anonymity());
  observed.http_status = observation.http_status();
  const bool passed = observed.verdict == Verdict::kPass;
  const bool conclusive = observed.verdict != Verdict::kInconclusive;
  observed.passes = !conclusive ? before.passes : passed ? before.passes + kOneMore : 0;
  observed.failures = !conclusive ? before.failures : passed ? 0 : before.failures + kOneMore;
  observed.weighed = conclusive && IsUp(before);
  if (observed.weighed) guard_.Note({key.level, key.routing}, row.checker, passed, observed.failures == 1);
  const std::uint64_t threshold = state_.settings().failures_to_unhealthy;
  if (conclusive && !passed && observed.failures >= threshold && IsHeld(key, row.checker)) {
    observed.failures = static_cast<std::uint32_t>(threshold - 1);
  }
  Judge(key, observed);
  return true;
}

// With the first pass after what its checks follow from has changed.
void Reducer::Plan(ProxyKey proxy) {
  if (std::exchange(Touch(proxy).planned, true)) return;
  const std::size_t before = events_.size();
  PlanChecks(state_, proxy, point_.now, events_);
  const auto& planned = std::get<ChecksPlanned>(events_.back()).routings;
  for (const auto& [routing, key] : state_.health().proxy(proxy).targets) {
    const bool stays = std::binary_search(planned.begin(), planned.end(), routing);
    if (!stays) SetUp({proxy, CheckLevel::kTarget, routing}, key, false);
  }
  for (std::size_t i = before; i < events_.size(); ++i) {
    if (const auto* cancelled = std::get_if<CheckCancelled>(&events_[i])) cancelled_.insert(cancelled->task);
  }
}

void Reducer::Judge(const CheckKey& key, const CheckObserved& observed) {
  const Settings& settings = state_.settings();
  const KeyHealth& before = *state_.health().proxy(key.proxy).Find(key.level, key.routing);
  const bool conclusive = observed.verdict != Verdict::kInconclusive;
  const bool passed = observed.verdict == Verdict::kPass;
  const HealthState from = StateOf(key);
  HealthState to = conclusive ? After(settings, from, observed.passes, observed.failures) : from;
  // Held at its floor, whatever the thresholds say.
  if (conclusive && !passed && observed.failures == 0) to = HealthState::kSuspect;
  KeyStanding standing{to, observed.passes, observed.failures, conclusive ? 0 : before.inconclusive + 1};
  CheckObserved event = observed;
  event.due_at = NextDue(settings, key, state_.pool().proxy(key.proxy).spec->proxy_id.value(), standing, point_.now);
  events_.emplace_back(std::move(event));
  Touched& touched = Touch(key.proxy);
  const bool seen = key.level == CheckLevel::kEgress && observed.anonymity != Anonymity::kUnspecified;
  if (seen) touched.findings.anonymity = observed.anonymity;
  const bool up = (before.passed || passed) && (to == HealthState::kAvailable || to == HealthState::kSuspect);
  SetUp(key, before, up);
  if (key.level == CheckLevel::kBasic && passed && IsPlanStale(state_, key.proxy)) Plan(key.proxy);
  if (to == from) return;
  HealthChanged changed{key.proxy, key.level, key.routing, to, observed.checker, {}, {}};
  const bool same_row = passed ? before.failures == 0 : before.passes == 0;
  const std::size_t needed = passed ? observed.passes : observed.failures;
  const std::size_t earlier = same_row ? std::min(before.row.size(), needed == 0 ? 0 : needed - 1) : 0;
  for (std::size_t i = before.row.size() - earlier; i < before.row.size(); ++i) {
    changed.evidence.push_back(before.row[i].sequence);
    changed.tasks.push_back(before.row[i].task);
  }
  changed.evidence.push_back(point_.sequence);
  changed.tasks.push_back(observed.task);
  changed.weighed = to == HealthState::kUnhealthy && IsWeighed(key);
  Change(key, to, std::move(changed));
}

void Reducer::Change(const CheckKey& key, HealthState to, HealthChanged event) {
  const CheckerKey checker = event.checker;
  events_.emplace_back(std::move(event));
  Touched& touched = Touch(key.proxy);
  if (key.level == CheckLevel::kTarget) {
    touched.findings.targets[key.routing] = to;
    return;
  }
  (key.level == CheckLevel::kBasic ? touched.findings.basic : touched.findings.egress) = to;
  const PoolState pool = PoolStateOf(state_.settings(), StateOf({key.proxy, CheckLevel::kBasic, {}}),
                                     StateOf({key.proxy, CheckLevel::kEgress, {}}));
  if (pool == touched.pool) return;
  touched.pool = pool;
  events_.emplace_back(ProxyStateChanged{key.proxy, pool, key.level, checker});
}

void Reducer::Suspect(const CheckKey& key) {
  const HealthState from = StateOf(key);
  if (from == HealthState::kSuspect || from == HealthState::kUnhealthy) return;
  Change(key, HealthState::kSuspect,
         {key.proxy, key.level, key.routing, HealthState::kSuspect, CheckerKey(), {point_.sequence}, {}});
  events_.emplace_back(CheckRequested{key.proxy, key.level, key.routing, false});
}

bool Reducer::IsUseful(ProxyBrief brief) const {
  const auto found = touched_.find(brief.proxy);
  if (found != touched_.end()) brief.state = found->second.pool;
  return brief.of_use();
}

// A held address on which nothing is of use any more is asked back.
void Reducer::RevokeUseless() {
  absl::btree_map<AddressKey, RevokeReason> revoked;
  for (const auto& [proxy, touched] : touched_) {
    const ProxyRow& row = state_.pool().proxy(proxy);
    const bool serves = touched.pool == PoolState::kAvailable || touched.pool == PoolState::kSuspect;
    if (serves || row.state == touched.pool) continue;
    const HoldRow& hold = state_.ownership().hold(row.address);
    const bool useful =
        std::any_of(hold.proxies.begin(), hold.proxies.end(), [&](const ProxyBrief& brief) { return IsUseful(brief); });
    if (hold.state != OwnershipState::kUnowned && !useful) revoked.insert({row.address, RevokeReason::kHealth});
  }
  RevokeAddresses(state_, revoked, {point_.now + state_.settings().drain_grace, {}}, events_);
}

std::vector<Event> Reducer::Finish() {
  for (const auto& [proxy, touched] : touched_) {
    const bool changed = !touched.findings.targets.empty() || touched.findings.anonymity || touched.planned;
    if (changed) MarkRoutings(state_, proxy, touched.findings, events_);
  }
  RevokeUseless();
  guard_.Lift(events_);
  return std::move(events_);
}

}  // namespace holdfast
