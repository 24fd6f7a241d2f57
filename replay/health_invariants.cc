#include "replay/health_invariants.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

namespace holdfast::replay {
namespace {

constexpr std::size_t kRemembered = 32;  // observations of one key: more than any threshold

std::string Name(ProxyKey proxy, CheckLevel level, RoutingKey routing) {
  return absl::StrCat("proxy ", proxy.value(), " at level ", static_cast<int>(level),
                      routing.value() == 0 ? "" : absl::StrCat(" for routing ", routing.value()));
}

template <class E>
std::string NameOf(const E& event) {
  return Name(event.proxy, event.level, event.routing);
}

template <class E>
auto KeyOf(const E& event) {
  return std::tuple(event.proxy, event.level, event.routing);
}

// How bad a state is for the pool.
int Rank(HealthState state) {
  return state == HealthState::kUnhealthy ? 3
         : state == HealthState::kUnknown ? 2
         : state == HealthState::kSuspect ? 1
                                          : 0;
}

PoolState Expected(const Settings& settings, HealthState basic, HealthState egress) {
  static constexpr PoolState kByRank[] = {PoolState::kAvailable, PoolState::kSuspect, PoolState::kPending,
                                          PoolState::kUnhealthy};
  if (basic == HealthState::kUnknown) return settings.trust_unchecked ? PoolState::kAvailable : PoolState::kPending;
  const bool counts = egress != HealthState::kUnknown || (settings.egress_required && !settings.trust_unchecked);
  return kByRank[std::max(Rank(basic), counts ? Rank(egress) : 0)];
}

}  // namespace

Violation HealthInvariants::Check(const SettingsChanged& event, LogTime) {
  settings_ = event.settings;
  return std::nullopt;
}

Violation HealthInvariants::Check(const ProxyAdded& event, LogTime) {
  Proxy& proxy = proxies_[event.proxy];
  proxy.needs_secret = !event.spec->secret_ref.empty();
  proxy.pool = event.state;
  return std::nullopt;
}

Violation HealthInvariants::Check(const ProxyUpdated& event, LogTime) {
  Proxy& proxy = proxies_[event.proxy];
  proxy.checked = true;
  if (proxy.pool == PoolState::kExpired) proxy.pool = event.revived;
  return std::nullopt;
}

Violation HealthInvariants::Check(const ProxiesNamed& event, LogTime) {
  for (const ProxyKey key : event.proxies) {
    if (IsAbsent(event.expires_at)) break;
    Proxy& proxy = proxies_[key];
    proxy.checked = true;
    if (proxy.pool == PoolState::kExpired) proxy.pool = event.revived;
  }
  return std::nullopt;
}

Violation HealthInvariants::Stop(ProxyKey proxy) {
  proxies_[proxy].checked = false;
  return std::nullopt;
}

Violation HealthInvariants::Check(const ProxyUnusable& event, LogTime) { return Stop(event.proxy); }
Violation HealthInvariants::Check(const ProxyLeaving& event, LogTime) { return Stop(event.proxy); }

Violation HealthInvariants::Check(const ProxyExpired& event, LogTime) {
  Proxy& proxy = proxies_[event.proxy];
  proxy.checked = false;
  proxy.pool = PoolState::kExpired;
  for (auto& [key, row] : proxy.keys) row = KeyRow{row.task, HealthState::kUnknown, false, 0, 0, {}};
  return std::nullopt;
}

Violation HealthInvariants::Check(const ProxyRemoved& event, LogTime) {
  proxies_.erase(event.proxy);
  return std::nullopt;
}

Violation HealthInvariants::Check(const OutcomesAccepted&, LogTime) {
  outcomes_here_ = true;
  return std::nullopt;
}

Violation HealthInvariants::Check(const CheckerOpened& event, LogTime) {
  Checker& checker = checkers_[event.checker];
  if (checker.open) return absl::StrCat("checker ", event.checker_id.value(), " has a session that is open");
  checker = Checker{
      true, false, false, event.levels, event.max_concurrency, (event.capabilities & kCheckerCapabilitySecretRef) != 0,
      {}};
  return std::nullopt;
}

Violation HealthInvariants::Check(const CheckerAttached& event, LogTime) {
  checkers_[event.checker].attached = true;
  return std::nullopt;
}

Violation HealthInvariants::Check(const CheckerDetached& event, LogTime) {
  checkers_[event.checker].attached = false;
  return std::nullopt;
}

Violation HealthInvariants::Check(const CheckerDraining& event, LogTime) {
  checkers_[event.checker].draining = true;
  return std::nullopt;
}

Violation HealthInvariants::Check(const CheckerClosed& event, LogTime) {
  Checker& checker = checkers_[event.checker];
  if (!checker.open) return absl::StrCat("checker ", event.checker.value(), " has no open session that could end");
  if (!checker.tasks.empty()) {
    return absl::StrCat("the session of checker ", event.checker.value(), " ends with ", checker.tasks.size(),
                        " tasks outstanding");
  }
  checker = Checker{};
  return std::nullopt;
}

Violation HealthInvariants::Check(const ChecksPlanned& event, LogTime) {
  std::map<Key, KeyRow>& keys = proxies_[event.proxy].keys;
  for (auto it = keys.begin(); it != keys.end();) {
    const auto& [proxy, level, routing] = it->first;
    const bool stays = level != CheckLevel::kTarget ||
                       std::find(event.routings.begin(), event.routings.end(), routing) != event.routings.end();
    it = stays ? std::next(it) : keys.erase(it);
  }
  return std::nullopt;
}

std::string HealthInvariants::WrongWith(const CheckIssued& event, const Proxy& proxy) const {
  const auto found = checkers_.find(event.checker);
  if (found == checkers_.end() || !found->second.open) return "its checker has no session";
  const Checker& checker = found->second;
  if (!checker.attached) return "its checker has no task stream";
  if (checker.draining) return "its checker drains";
  if ((checker.levels & LevelBit(event.level)) == 0) return "its checker does not check at that level";
  if (checker.tasks.size() >= checker.most) return absl::StrCat("its checker has ", checker.most, " already");
  if (proxy.needs_secret && !checker.takes_secrets) return "its checker resolves no secrets";
  return proxy.checked ? "" : "the proxy may not be used any more";
}

Violation HealthInvariants::Check(const CheckIssued& event, LogTime) {
  const std::string task = absl::StrCat("task ", event.task.value(), " (", NameOf(event), ")");
  if (event.task <= last_task_) return absl::StrCat(task, " does not follow task ", last_task_.value());
  last_task_ = event.task;
  const auto proxy = proxies_.find(event.proxy);
  if (proxy == proxies_.end()) return absl::StrCat(task, " is for a proxy that is not there");
  if (const std::string wrong = WrongWith(event, proxy->second); !wrong.empty()) {
    return absl::StrCat(task, " may not be given: ", wrong);
  }
  KeyRow& row = proxy->second.keys[KeyOf(event)];
  if (row.task.value() != 0) return absl::StrCat(task, " is a second one beside task ", row.task.value());
  row.task = event.task;
  checkers_[event.checker].tasks.insert(event.task);
  tasks_[event.task] = {KeyOf(event), event.checker, event.deadline};
  return std::nullopt;
}

template <class E>
Violation HealthInvariants::EndTask(const E& event, LogTime at, bool late) {
  const std::string task = absl::StrCat("task ", event.task.value(), " (", NameOf(event), ")");
  const auto found = tasks_.find(event.task);
  if (found == tasks_.end()) return absl::StrCat(task, " ends and is not outstanding");
  if (found->second.checker != event.checker || found->second.key != KeyOf(event)) {
    return absl::StrCat(task, " ends as another one's, or for another key");
  }
  if (late != IsOver(found->second.deadline, at)) {
    return absl::StrCat(task, late ? " expires before its deadline" : " is observed after its deadline");
  }
  tasks_.erase(found);
  checkers_[event.checker].tasks.erase(event.task);
  const auto proxy = proxies_.find(event.proxy);
  if (proxy == proxies_.end()) return std::nullopt;
  const auto key = proxy->second.keys.find(KeyOf(event));
  if (key != proxy->second.keys.end() && key->second.task == event.task) key->second.task = TaskId();
  return std::nullopt;
}

Violation HealthInvariants::Check(const CheckExpired& event, LogTime at) { return EndTask(event, at, true); }

Violation HealthInvariants::Check(const CheckCancelled& event, LogTime) {
  const auto found = tasks_.find(event.task);
  // It may end before or after its time.
  return EndTask(event, found == tasks_.end() ? LogTime() : found->second.deadline, true);
}

Violation HealthInvariants::Check(const CheckObserved& event, LogTime at) {
  if (Violation violation = EndTask(event, at, false)) return violation;
  const auto proxy = proxies_.find(event.proxy);
  if (proxy == proxies_.end()) return absl::StrCat(NameOf(event), " is observed and not there");
  KeyRow& row = proxy->second.keys[KeyOf(event)];
  if (event.verdict == holdfast::Verdict::kInconclusive) {
    if (event.passes == row.passes && event.failures == row.failures) return std::nullopt;
    return absl::StrCat(NameOf(event), " is counted though nothing could be concluded");
  }
  const bool passed = event.verdict == holdfast::Verdict::kPass;
  const std::uint32_t most = passed ? row.passes + 1 : row.failures + 1;
  const std::uint32_t counted = passed ? event.passes : event.failures;
  const bool held = !passed && counted + 1 == settings_.failures_to_unhealthy;
  if ((counted != most && !held) || (passed ? event.failures : event.passes) != 0) {
    return absl::StrCat(NameOf(event), " counts ", counted, " in a row where it is ", most);
  }
  row.passes = event.passes;
  row.failures = event.failures;
  row.passed = row.passed || passed;
  row.lately.push_back({sequence_, event.task, passed});
  if (row.lately.size() > kRemembered) row.lately.erase(row.lately.begin());
  return std::nullopt;
}

// Empty: nothing.
std::string HealthInvariants::WrongWith(const HealthChanged& event, const KeyRow& row) const {
  const bool good = event.state == HealthState::kAvailable;
  if (event.checker.value() == 0) {
    if (event.state != HealthState::kSuspect) return "outcomes alone make nothing but SUSPECT";
    if (!outcomes_here_ || event.evidence != std::vector<Sequence>{sequence_})
      return "it names no outcomes of its entry";
    return "";
  }
  if (event.evidence.empty() || event.evidence.size() != event.tasks.size()) return "it names no observations";
  if (event.evidence.size() > row.lately.size()) return "it names observations that were not made";
  auto seen = row.lately.end() - static_cast<std::ptrdiff_t>(event.evidence.size());
  for (std::size_t i = 0; i < event.evidence.size(); ++i, ++seen) {
    if (seen->sequence != event.evidence[i] || seen->task != event.tasks[i]) return "it names other observations";
    if (seen->passed != good) return "what it names says the opposite";
  }
  const std::uint64_t needed =
      good ? (row.state == HealthState::kUnhealthy ? settings_.passes_from_unhealthy : settings_.passes_to_available)
      : event.state == HealthState::kUnhealthy ? settings_.failures_to_unhealthy
                                               : 1;
  return event.evidence.size() >= needed ? "" : absl::StrCat("it takes ", needed, " in a row");
}

bool HealthInvariants::IsFrozen(const HealthChanged& event) const {
  return frozen_.contains({event.level, event.routing, CheckerKey()}) ||
         frozen_.contains({event.level, event.routing, event.checker});
}

Violation HealthInvariants::Check(const HealthChanged& event, LogTime) {
  const auto proxy = proxies_.find(event.proxy);
  if (proxy == proxies_.end()) return absl::StrCat(NameOf(event), " changes and is not there");
  KeyRow& row = proxy->second.keys[KeyOf(event)];
  if (const std::string wrong = WrongWith(event, row); !wrong.empty()) {
    return absl::StrCat(NameOf(event), " does not follow from what it names: ", wrong);
  }
  const bool was_up = row.passed && row.state != HealthState::kUnhealthy && row.state != HealthState::kUnknown;
  if (event.state == HealthState::kUnhealthy && was_up && IsFrozen(event)) {
    return absl::StrCat(NameOf(event), " turns UNHEALTHY while that is frozen");
  }
  row.state = event.state;
  return std::nullopt;
}

Violation HealthInvariants::Check(const ProxyStateChanged& event, LogTime) {
  const auto found = proxies_.find(event.proxy);
  if (found == proxies_.end()) return absl::StrCat("proxy ", event.proxy.value(), " changes and is not there");
  Proxy& proxy = found->second;
  const HealthState basic = proxy.keys[{event.proxy, CheckLevel::kBasic, RoutingKey()}].state;
  const HealthState egress = proxy.keys[{event.proxy, CheckLevel::kEgress, RoutingKey()}].state;
  if (proxy.pool == PoolState::kExpired || event.state != Expected(settings_, basic, egress)) {
    return absl::StrCat("proxy ", event.proxy.value(), " gets pool state ", static_cast<int>(event.state),
                        ", which is not what its checks say");
  }
  proxy.pool = event.state;
  return std::nullopt;
}

Violation HealthInvariants::Check(const HealthFrozen& event, LogTime) {
  if (frozen_.insert({event.level, event.routing, event.checker}).second) return std::nullopt;
  return absl::StrCat("level ", static_cast<int>(event.level), " is frozen twice");
}

Violation HealthInvariants::Check(const HealthThawed& event, LogTime) {
  if (frozen_.erase({event.level, event.routing, event.checker}) == 1) return std::nullopt;
  return absl::StrCat("level ", static_cast<int>(event.level), " is not frozen and is lifted");
}

// What a client had begins anew, but for what was found bad of it.
Violation HealthInvariants::Check(const HealthForgotten& event, LogTime) {
  for (const ProxyKey key : event.proxies) {
    const auto found = proxies_.find(key);
    if (found == proxies_.end()) return absl::StrCat("proxy ", key.value(), " is forgotten and is not there");
    KeyRow& row = found->second.keys[{key, CheckLevel::kBasic, RoutingKey()}];
    if (row.state == HealthState::kUnhealthy) {
      return absl::StrCat("proxy ", key.value(), " is UNHEALTHY, and that is forgotten");
    }
    row = KeyRow{row.task, HealthState::kUnknown, row.passed, 0, 0, {}};
  }
  return std::nullopt;
}

}  // namespace holdfast::replay
