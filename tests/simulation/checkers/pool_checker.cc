#include "tests/simulation/checkers/pool_checker.h"

#include <algorithm>

namespace holdfast::simulation {
namespace {

using admin::v1::HealthState;
using admin::v1::PoolState;
using log::v1::Event;

constexpr std::uint64_t kVersionsKept = 64;  // of one worker

// The better, the lower.
int Badness(HealthState state) {
  if (state == admin::v1::HEALTH_STATE_UNHEALTHY) return 3;
  if (state == admin::v1::HEALTH_STATE_UNKNOWN) return 2;
  return state == admin::v1::HEALTH_STATE_SUSPECT ? 1 : 0;
}

PoolState PoolOf(HealthState state) {
  if (state == admin::v1::HEALTH_STATE_UNHEALTHY) return admin::v1::POOL_STATE_UNHEALTHY;
  if (state == admin::v1::HEALTH_STATE_SUSPECT) return admin::v1::POOL_STATE_SUSPECT;
  return state == admin::v1::HEALTH_STATE_UNKNOWN ? admin::v1::POOL_STATE_PENDING : admin::v1::POOL_STATE_AVAILABLE;
}

}  // namespace

void PoolChecker::Wrong(const Entry& entry, const std::string& what) {
  violations_.Add("pool", "sequence " + std::to_string(entry.sequence) + ": " + what);
}

void PoolChecker::BeforeEntry() {
  states_due_.clear();
  marks_due_.clear();
  holds_due_.clear();
  demoted_.clear();
}

void PoolChecker::Before(const Entry& entry, const Event& event) {
  NoteTrust(event);
  NoteHolds(event);
  if (entry.input.has_report_observations() || entry.input.has_report_outcomes()) NoteMarks(event);
  if (event.has_health_changed()) states_due_.insert(event.health_changed().proxy());
  for (const std::uint32_t proxy : event.health_forgotten().proxies()) states_due_.insert(proxy);
  if (!event.has_proxy_state_changed()) return;
  const log::v1::ProxyStateChanged& changed = event.proxy_state_changed();
  const ModelProxy* proxy = model_.Proxy(changed.proxy());
  if (proxy == nullptr || proxy->state == admin::v1::POOL_STATE_EXPIRED) {
    return Wrong(entry, "the state of a proxy changes that is not in the pool, or whose time is over");
  }
  states_due_.insert(changed.proxy());
  if (changed.state() == admin::v1::POOL_STATE_UNHEALTHY) demoted_.insert(changed.proxy());
}

// Trusted is what was added, or came back, while unchecked proxies are trusted; and all of it from when they are.
void PoolChecker::NoteTrust(const Event& event) {
  const bool trust = model_.settings().trust_unchecked();
  const auto comes_back = [&](std::uint32_t proxy) {
    states_due_.insert(proxy);
    const ModelProxy* known = model_.Proxy(proxy);
    if (known == nullptr || known->state != admin::v1::POOL_STATE_EXPIRED) return;
    trusted_.erase(proxy);
    if (trust) trusted_.insert(proxy);
  };
  if (event.has_proxy_added()) {
    states_due_.insert(event.proxy_added().proxy());
    if (trust) trusted_.insert(event.proxy_added().proxy());
  }
  if (event.has_proxy_updated()) comes_back(event.proxy_updated().proxy());
  if (event.has_proxies_named() && event.proxies_named().expires_at() != 0) {
    for (const std::uint32_t proxy : event.proxies_named().proxies()) comes_back(proxy);
  }
  if (!event.has_settings_changed() || !event.settings_changed().settings().trust_unchecked()) return;
  for (const auto& [proxy, row] : model_.proxies()) trusted_.insert(proxy);
}

void PoolChecker::NoteHolds(const Event& event) {
  std::uint32_t proxy = 0;
  if (event.has_proxy_state_changed()) proxy = event.proxy_state_changed().proxy();
  if (event.has_proxy_unusable()) proxy = event.proxy_unusable().proxy();
  if (event.has_proxy_expired()) proxy = event.proxy_expired().proxy();
  if (event.has_proxy_leaving()) proxy = event.proxy_leaving().proxy();
  if (event.has_proxy_removed()) proxy = event.proxy_removed().proxy();
  if (const ModelProxy* known = model_.Proxy(proxy)) holds_due_.insert(known->address);
}

void PoolChecker::NoteMarks(const Event& event) {
  if (event.has_checks_planned()) marks_due_.insert(event.checks_planned().proxy());
  if (event.has_health_changed() && event.health_changed().level() == controlplane::v1::CHECK_LEVEL_TARGET) {
    marks_due_.insert(event.health_changed().proxy());
  }
  if (!event.has_check_observed()) return;
  const log::v1::CheckObserved& observed = event.check_observed();
  const bool seen = observed.level() == controlplane::v1::CHECK_LEVEL_EGRESS &&
                    observed.anonymity() != controlplane::v1::ANONYMITY_UNSPECIFIED;
  if (seen) marks_due_.insert(observed.proxy());
}

void PoolChecker::AfterEntry(const Entry& entry) {
  for (const std::uint32_t proxy : states_due_) JudgeState(entry, proxy);
  for (const std::uint32_t proxy : marks_due_) JudgeMarks(entry, proxy);
  JudgeHolds(entry);
  for (const Event& event : entry.events.events()) {
    if (event.has_snapshot_issued()) JudgeIssue(entry, event.snapshot_issued());
  }
}

// PENDING while BASIC is UNKNOWN (or AVAILABLE, where it is trusted), else the worse of BASIC and EGRESS; an EGRESS
// that is UNKNOWN counts only where it is required, and unchecked proxies are not trusted.
void PoolChecker::JudgeState(const Entry& entry, std::uint32_t key) {
  const ModelProxy* proxy = model_.Proxy(key);
  if (proxy == nullptr || proxy->state == admin::v1::POOL_STATE_EXPIRED) return;
  const HealthState at_basic = checks_.StateOf({key, controlplane::v1::CHECK_LEVEL_BASIC, 0});
  PoolState expected = trusted_.contains(key) ? admin::v1::POOL_STATE_AVAILABLE : admin::v1::POOL_STATE_PENDING;
  if (at_basic != admin::v1::HEALTH_STATE_UNKNOWN) {
    HealthState at_egress = checks_.StateOf({key, controlplane::v1::CHECK_LEVEL_EGRESS, 0});
    const bool required = model_.settings().egress_required() && !trusted_.contains(key);
    const bool counts = at_egress != admin::v1::HEALTH_STATE_UNKNOWN || required;
    if (!counts) at_egress = admin::v1::HEALTH_STATE_AVAILABLE;
    expected = PoolOf(Badness(at_basic) >= Badness(at_egress) ? at_basic : at_egress);
  }
  if (proxy->state == expected) return;
  Wrong(entry, "proxy " + proxy->proxy_id + " is " + admin::v1::PoolState_Name(proxy->state) +
                   ", by its checks it is " + admin::v1::PoolState_Name(expected));
}

void PoolChecker::JudgeMarks(const Entry& entry, std::uint32_t key) {
  const CheckedProxy* proxy = checks_.Proxy(key);
  if (proxy == nullptr) return;
  std::vector<std::string> expected;
  for (const ModelRouting& routing : checks_.routings()) {
    if (!routing.TakesLabelsOf(proxy->spec)) continue;
    const ModelKey target{key, controlplane::v1::CHECK_LEVEL_TARGET, routing.key};
    const bool fails = routing.spec.targets_size() > 0 && checks_.StateOf(target) == admin::v1::HEALTH_STATE_UNHEALTHY;
    const auto allowed = routing.spec.min_anonymity();
    bool too_open = allowed > controlplane::v1::ANONYMITY_TRANSPARENT && proxy->anonymity < allowed;
    if (proxy->anonymity == controlplane::v1::ANONYMITY_UNSPECIFIED) {
      too_open = too_open && !model_.settings().trust_unchecked();
    }
    if (fails || too_open) expected.push_back(routing.spec.routing_id());
  }
  std::sort(expected.begin(), expected.end());
  if (proxy->marked != expected) {
    Wrong(entry, "proxy " + proxy->spec.proxy_id() + " is marked for other routings than it does not serve");
  }
}

// Whether its owner may go on with it, or take it again. Requires: nothing on it is of use.
bool PoolChecker::IsKept(const ModelAddress& address) const {
  if (address.hold != HoldState::kLapsing) return address.hold == HoldState::kGranted;
  const bool demoted = std::any_of(address.proxies.begin(), address.proxies.end(),
                                   [&](std::uint32_t proxy) { return demoted_.contains(proxy); });
  return demoted && address.lapse_cause != log::v1::LAPSE_CAUSE_REVOKED;
}

// Nobody keeps what is of no use any more; and nobody loses by its health what still is.
void PoolChecker::JudgeHolds(const Entry& entry) {
  for (const std::uint32_t key : holds_due_) {
    const ModelAddress* address = model_.Address(key);
    if (address == nullptr || model_.Useful(*address)) continue;
    if (IsKept(*address))
      Wrong(entry, "address " + std::to_string(key) + " is left with its owner, and nothing on it may be used");
  }
  for (const Event& event : entry.events.events()) {
    if (!event.has_ownership_revoked() || event.ownership_revoked().reason() != audit::v1::REVOKE_REASON_HEALTH)
      continue;
    for (const std::uint32_t key : event.ownership_revoked().addresses()) {
      const ModelAddress* address = model_.Address(key);
      if (address == nullptr || model_.Useful(*address)) {
        Wrong(entry, "address " + std::to_string(key) + " is asked back for its health, and is of use");
      }
    }
  }
}

// ---- what workers are shown ----------------------------------------------------------------------------------------

// What is AVAILABLE is shown ACTIVE, what is SUSPECT is shown SUSPECT, and nothing else as usable.
void PoolChecker::JudgeIssue(const Entry& entry, const log::v1::SnapshotIssued& issued) {
  const ModelWorker* worker = model_.Worker(issued.worker());
  if (worker == nullptr || worker->last_version != issued.version()) return;
  Marks& marks = marks_shown_[{worker->worker_id, issued.version()}];
  for (const auto& [key, shown] : worker->content) {
    const ModelProxy* proxy = model_.Proxy(key);
    const CheckedProxy* checked = checks_.Proxy(key);
    if (proxy == nullptr || checked == nullptr || worker->deferred.contains(shown.address)) continue;
    marks[proxy->proxy_id] = checked->marked;
    const bool active = shown.state == controlplane::v1::GRANT_STATE_ACTIVE;
    const bool suspect = shown.state == controlplane::v1::GRANT_STATE_SUSPECT;
    const bool wrong = (active && proxy->state != admin::v1::POOL_STATE_AVAILABLE) ||
                       (suspect && proxy->state != admin::v1::POOL_STATE_SUSPECT);
    if (!wrong) continue;
    Wrong(entry, "proxy " + proxy->proxy_id + " is " + admin::v1::PoolState_Name(proxy->state) + ", and " +
                     worker->worker_id + " is shown it " + controlplane::v1::GrantState_Name(shown.state));
  }
  const auto first = marks_shown_.lower_bound({worker->worker_id, 0});
  const bool too_many = first->first.second + kVersionsKept < issued.version();
  if (too_many) marks_shown_.erase(first);
}

void PoolChecker::Shown(const std::string& worker_id, const controlplane::v1::SnapshotUpdate& update) {
  if (!update.has_full() && !update.has_delta()) return;
  const std::uint64_t version = update.has_full() ? update.full().version() : update.delta().version();
  const auto issued = marks_shown_.find({worker_id, version});
  if (issued == marks_shown_.end()) return;
  const auto& listed = update.has_full() ? update.full().proxies() : update.delta().upserted();
  for (const controlplane::v1::ProxyGrant& grant : listed) {
    const auto marks = issued->second.find(grant.proxy_id());
    const std::vector<std::string> shown{grant.unhealthy_routing_ids().begin(), grant.unhealthy_routing_ids().end()};
    if (marks == issued->second.end() || marks->second == shown) continue;
    violations_.Add("pool", worker_id + " is shown " + grant.proxy_id() + " in version " + std::to_string(version) +
                                " with other unhealthy_routing_ids than it is marked with");
  }
}

}  // namespace holdfast::simulation
