#include "tests/simulation/checkers/check_model.h"

#include <algorithm>
#include <utility>

namespace holdfast::simulation {

using admin::v1::HealthState;
using log::v1::Event;

std::string TextOf(const ModelKey& key) {
  std::string text = "proxy " + std::to_string(key.proxy) + " at " + controlplane::v1::CheckLevel_Name(key.level);
  if (key.routing != 0) text += " of routing " + std::to_string(key.routing);
  return text;
}

bool ModelRouting::TakesLabelsOf(const log::v1::StoredProxy& proxy) const {
  return std::all_of(spec.proxy_labels().begin(), spec.proxy_labels().end(), [&](const auto& label) {
    const auto found = proxy.labels().find(label.first);
    return found != proxy.labels().end() && found->second == label.second;
  });
}

void CheckModel::Apply(const Entry& entry, const Event& event) {
  const int number = event.event_case();
  if (event.has_eligibility_set() && event.eligibility_set().checker()) {
    const std::string& id = event.eligibility_set().member_id();
    if (event.eligibility_set().eligible()) cordoned_.erase(id);
    if (!event.eligibility_set().eligible()) cordoned_.insert(id);
  }
  if (event.has_routings_applied()) return ApplyRoutings(event.routings_applied());
  if (number >= 60 && number < 80) ApplyPool(entry, event);
  if (number >= 100 && number < 110) ApplyChecker(event);
  if (number >= 110 && number < 120) ApplyCheck(entry, event);
  if (number >= 120) ApplyHealth(entry, event);
}

// ---- sessions of checkers ------------------------------------------------------------------------------------------

const ModelChecker* CheckModel::CheckerOf(const std::string& checker_id) const {
  for (const auto& [key, checker] : checkers_) {
    if (checker.checker_id == checker_id) return &checker;
  }
  return nullptr;
}

void CheckModel::Open(const log::v1::CheckerOpened& opened) {
  ModelChecker& checker = checkers_[opened.checker()];
  checker.checker_id = opened.checker_id();
  checker.session_id = opened.session_id();
  checker.zone = opened.zone();
  checker.state = controlplane::v1::SESSION_STATE_HANDSHAKING;
  checker.stream = 0;
  checker.max_concurrency = opened.max_concurrency();
  checker.levels = opened.levels();
  checker.resolves_secrets = (opened.capabilities() >> controlplane::v1::CHECKER_CAPABILITY_SECRET_REF & 1u) != 0;
  levels_seen_ |= opened.levels();
}

void CheckModel::ApplyChecker(const Event& event) {
  if (event.has_checker_opened()) Open(event.checker_opened());
  if (event.has_checker_attached()) {
    ModelChecker& checker = checkers_[event.checker_attached().checker()];
    checker.stream = event.checker_attached().stream();
    if (checker.state == controlplane::v1::SESSION_STATE_HANDSHAKING) {
      checker.state = controlplane::v1::SESSION_STATE_ACTIVE;
    }
  }
  if (event.has_checker_detached()) checkers_[event.checker_detached().checker()].stream = 0;
  if (event.has_checker_draining()) {
    checkers_[event.checker_draining().checker()].state = controlplane::v1::SESSION_STATE_DRAINING;
  }
  if (event.has_checker_closed()) {
    checkers_[event.checker_closed().checker()].state = controlplane::v1::SESSION_STATE_CLOSED;
    checkers_[event.checker_closed().checker()].stream = 0;
  }
}

// ---- proxies and routings ------------------------------------------------------------------------------------------

// What else than BASIC it was checked for is planned anew when it comes back.
void CheckModel::Stop(std::uint32_t proxy) {
  CheckedProxy& checked = proxies_[proxy];
  checked.stopped = true;
  for (auto& [kind, check] : checked.checks) {
    check.due_at = 0;
    if (kind.first != controlplane::v1::CHECK_LEVEL_BASIC) check = {false, 0, 0, 0, check.state};
  }
}

// What was not checked any more is due at once.
void CheckModel::Resume(std::uint32_t proxy, std::int64_t at_us) {
  CheckedProxy& checked = proxies_[proxy];
  if (!std::exchange(checked.stopped, false)) return;
  ModelCheck& basic = checked.checks[{controlplane::v1::CHECK_LEVEL_BASIC, 0}];
  if (basic.task == 0) basic.due_at = at_us;
}

void CheckModel::ApplyPool(const Entry& entry, const Event& event) {
  if (event.has_proxy_added()) {
    CheckedProxy& checked = proxies_[event.proxy_added().proxy()] = CheckedProxy();
    checked.spec = event.proxy_added().spec();
    checked.checks[{controlplane::v1::CHECK_LEVEL_BASIC, 0}].due_at = entry.at_us;
  }
  if (event.has_proxy_updated()) {
    proxies_[event.proxy_updated().proxy()].spec = event.proxy_updated().spec();
    Resume(event.proxy_updated().proxy(), entry.at_us);
  }
  if (event.has_proxies_named() && event.proxies_named().expires_at() != 0) {
    for (const std::uint32_t proxy : event.proxies_named().proxies()) Resume(proxy, entry.at_us);
  }
  if (event.has_proxy_unusable()) Stop(event.proxy_unusable().proxy());
  if (event.has_proxy_leaving()) Stop(event.proxy_leaving().proxy());
  if (event.has_proxy_expired()) {  // what it was says nothing of it when it comes back: it begins anew
    CheckedProxy& checked = proxies_[event.proxy_expired().proxy()];
    checked = CheckedProxy{checked.spec, true, {}, {}, {}};
    checked.checks[{controlplane::v1::CHECK_LEVEL_BASIC, 0}] = ModelCheck();
  }
  if (event.has_proxy_removed()) proxies_.erase(event.proxy_removed().proxy());
}

// An id has its number for as long as it stands in the list; numbers are given in order.
void CheckModel::ApplyRoutings(const log::v1::RoutingsApplied& applied) {
  std::vector<ModelRouting> routings;
  for (const log::v1::StoredRouting& spec : applied.routings()) {
    const ModelRouting* before = RoutingOf(spec.routing_id());
    routings.push_back({before == nullptr ? next_routing_++ : before->key, spec});
  }
  routings_ = std::move(routings);
}

const ModelRouting* CheckModel::Routing(std::uint32_t key) const {
  const auto found =
      std::find_if(routings_.begin(), routings_.end(), [&](const ModelRouting& routing) { return routing.key == key; });
  return found == routings_.end() ? nullptr : &*found;
}

const ModelRouting* CheckModel::RoutingOf(const std::string& routing_id) const {
  const auto found = std::find_if(routings_.begin(), routings_.end(),
                                  [&](const ModelRouting& routing) { return routing.spec.routing_id() == routing_id; });
  return found == routings_.end() ? nullptr : &*found;
}

// ---- checks --------------------------------------------------------------------------------------------------------

const ModelCheck* CheckModel::Check(const ModelKey& key) const {
  const ModelCheck* check = Any(key);
  return check != nullptr && check->planned ? check : nullptr;
}

HealthState CheckModel::StateOf(const ModelKey& key) const {
  const ModelCheck* check = Any(key);
  return check == nullptr ? admin::v1::HEALTH_STATE_UNKNOWN : check->state;
}

const ModelCheck* CheckModel::Any(const ModelKey& key) const {
  const CheckedProxy* proxy = Proxy(key.proxy);
  if (proxy == nullptr) return nullptr;
  const auto found = proxy->checks.find({key.level, key.routing});
  return found == proxy->checks.end() ? nullptr : &found->second;
}

void CheckModel::Plan(const log::v1::ChecksPlanned& planned) {
  CheckedProxy& checked = proxies_[planned.proxy()];
  auto before = std::exchange(checked.checks, {});
  const auto keep = [&](controlplane::v1::CheckLevel level, std::uint32_t routing) {
    const auto found = before.find({level, routing});
    ModelCheck& check = checked.checks[{level, routing}];
    if (found != before.end()) check = found->second;
    if (found == before.end() || !std::exchange(check.planned, true)) check.due_at = planned.due_at();
  };
  keep(controlplane::v1::CHECK_LEVEL_BASIC, 0);
  if (planned.egress()) keep(controlplane::v1::CHECK_LEVEL_EGRESS, 0);
  for (const std::uint32_t routing : planned.routings()) keep(controlplane::v1::CHECK_LEVEL_TARGET, routing);
}

void CheckModel::Issue(const log::v1::CheckIssued& issued) {
  const ModelKey key = KeyOf(issued);
  ModelChecker& checker = checkers_[issued.checker()];
  checker.tasks.insert(issued.task());
  tasks_[issued.task()] = {key, issued.checker(), checker.session_id, issued.target(), issued.deadline(), true};
  outstanding_.insert(issued.task());
  ModelCheck* check = Mutable(key);
  if (check == nullptr) return;
  check->due_at = 0;
  check->task = issued.task();
  ++check->tasks;
}

void CheckModel::EndTask(std::uint64_t id, std::int64_t due_at) {
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) return;
  ModelTask& task = found->second;
  task.outstanding = false;
  outstanding_.erase(id);
  checkers_[task.checker].tasks.erase(id);
  ModelCheck* check = Mutable(task.key);
  if (check == nullptr || check->task != id) return;
  check->task = 0;
  check->due_at = proxies_[task.key.proxy].stopped ? 0 : due_at;
}

void CheckModel::ApplyCheck(const Entry& entry, const Event& event) {
  if (event.has_checks_planned()) Plan(event.checks_planned());
  if (event.has_check_requested()) {
    ModelCheck* check = Mutable(KeyOf(event.check_requested()));
    if (check != nullptr && check->task == 0) check->due_at = entry.at_us;
  }
  if (event.has_check_issued()) Issue(event.check_issued());
  if (event.has_check_expired()) EndTask(event.check_expired().task(), event.check_expired().due_at());
  if (event.has_check_cancelled()) EndTask(event.check_cancelled().task(), event.check_cancelled().due_at());
  if (!event.has_check_observed()) return;
  const log::v1::CheckObserved& observed = event.check_observed();
  EndTask(observed.task(), observed.due_at());
  const auto proxy = proxies_.find(observed.proxy());
  const bool seen = observed.level() == controlplane::v1::CHECK_LEVEL_EGRESS &&
                    observed.anonymity() != controlplane::v1::ANONYMITY_UNSPECIFIED;
  if (seen && proxy != proxies_.end()) proxy->second.anonymity = observed.anonymity();
}

// ---- health --------------------------------------------------------------------------------------------------------

void CheckModel::ApplyHealth(const Entry& entry, const Event& event) {
  if (event.has_health_changed()) {
    ModelCheck* check = Mutable(KeyOf(event.health_changed()));
    if (check != nullptr) check->state = event.health_changed().state();
  }
  for (const std::uint32_t proxy : event.health_forgotten().proxies()) {
    ModelCheck* check = Mutable({proxy, controlplane::v1::CHECK_LEVEL_BASIC, 0});
    if (check != nullptr) check->state = admin::v1::HEALTH_STATE_UNKNOWN;
  }
  if (event.has_routings_marked()) {
    const auto& ids = event.routings_marked().routing_ids();
    proxies_[event.routings_marked().proxy()].marked = {ids.begin(), ids.end()};
  }
  if (event.has_health_frozen()) {
    const log::v1::HealthFrozen& frozen = event.health_frozen();
    freezes_[{frozen.level(), frozen.routing(), frozen.checker()}] = entry.at_us;
  }
  if (event.has_health_thawed()) {
    const log::v1::HealthThawed& thawed = event.health_thawed();
    freezes_.erase({thawed.level(), thawed.routing(), thawed.checker()});
  }
}

}  // namespace holdfast::simulation
