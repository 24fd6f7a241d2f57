#include "tests/simulation/checkers/health_liveness.h"

#include <algorithm>

namespace holdfast::simulation {
namespace {

using admin::v1::HealthState;
using controlplane::v1::CheckLevel;

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kOverdueSlack = 5 * kSecond;
constexpr std::int64_t kReturn = 90 * kSecond;  // of members: backoffs, patience with a silent stream
constexpr std::int64_t kReport = 3 * kSecond;   // until what was found is heard
constexpr std::int64_t kMargin = 2 * kSecond;   // of a task's deadline behind its timeout

HealthState StateOf(bool passes) {
  return passes ? admin::v1::HEALTH_STATE_AVAILABLE : admin::v1::HEALTH_STATE_UNHEALTHY;
}

}  // namespace

// Every key is looked at once, its row grows as long as it must, level after level; and the guard lets through what
// is down in rounds, of which an operator begins each.
std::int64_t HealthLiveness::Bound() const {
  const log::v1::Settings& settings = model_.settings();
  const std::int64_t interval =
      std::max({settings.basic_interval(), settings.egress_interval(), settings.target_interval()});
  const std::int64_t task =
      std::max({settings.basic_timeout(), settings.egress_timeout(), settings.target_timeout()}) + kMargin + kReport;
  const auto row = static_cast<std::int64_t>(
      std::max({settings.failures_to_unhealthy(), settings.passes_from_unhealthy(), settings.passes_to_available()}));
  const std::int64_t level =
      std::max(interval, settings.unhealthy_max_interval()) + row * (settings.suspect_interval() + task);
  const std::int64_t window = std::max(settings.guard_window(), interval);
  const auto least = static_cast<std::int64_t>(std::max<std::uint64_t>(settings.guard_minimum() - 1, 1));
  const std::int64_t rounds = static_cast<std::int64_t>(model_.proxies().size()) / least + 1;
  return kReturn + settings.session_ttl() + settings.recovery_hold_off() + 2 * level + rounds * window;
}

std::string HealthLiveness::Missing(const std::set<std::string>& checkers,
                                    const std::map<std::string, TrueHealth>& truths, std::int64_t now_us) const {
  for (const std::string& checker_id : checkers) {
    if (std::string missing = MissingOfChecker(checker_id); !missing.empty()) return missing;
  }
  for (const std::uint64_t id : checks_.outstanding()) {
    if (checks_.Task(id)->deadline + kOverdueSlack < now_us) return "task " + std::to_string(id) + " is overdue";
  }
  if (std::string missing = MissingOfFreezes(); !missing.empty()) return missing;
  for (const auto& [key, proxy] : checks_.proxies()) {
    const auto truth = truths.find(proxy.spec.proxy_id());
    if (proxy.stopped || truth == truths.end()) continue;
    if (std::string missing = MissingOfProxy(proxy, key, truth->second); !missing.empty()) return missing;
  }
  return "";
}

std::string HealthLiveness::MissingOfChecker(const std::string& checker_id) const {
  const ModelChecker* checker = checks_.CheckerOf(checker_id);
  if (checker == nullptr) return checker_id + " is not registered";
  if (checker->state != controlplane::v1::SESSION_STATE_ACTIVE) return checker_id + " is not active";
  if (checker->stream == 0) return checker_id + " watches no stream";
  return checks_.cordoned(checker_id) ? checker_id + " is cordoned" : "";
}

// One that nobody could say anything about may stay until an operator lifts it.
std::string HealthLiveness::MissingOfFreezes() const {
  for (const auto& [freeze, since] : checks_.freezes()) {
    const auto& [level, routing, checker] = freeze;
    for (const auto& [key, proxy] : checks_.proxies()) {
      const ModelCheck* check = checks_.Check({key, level, routing});
      const bool up = check != nullptr && check->state == admin::v1::HEALTH_STATE_AVAILABLE;
      if (proxy.stopped || !up || !CanBeChecked(level, proxy, checker)) continue;
      return controlplane::v1::CheckLevel_Name(level) + " is still frozen" +
             (routing == 0 ? "" : " for routing " + std::to_string(routing)) +
             (checker == 0 ? "" : " on the word of checker " + std::to_string(checker)) + ", though " +
             proxy.spec.proxy_id() + " passes";
    }
  }
  return "";
}

bool HealthLiveness::CanBeChecked(CheckLevel level, const CheckedProxy& proxy, std::uint32_t by) const {
  return std::any_of(checks_.checkers().begin(), checks_.checkers().end(), [&](const auto& entry) {
    const ModelChecker& checker = entry.second;
    return (by == 0 || entry.first == by) && checker.state == controlplane::v1::SESSION_STATE_ACTIVE &&
           checker.stream != 0 && !checks_.cordoned(checker.checker_id) && checker.checks(level) &&
           (proxy.spec.secret_ref().empty() || checker.resolves_secrets);
  });
}

admin::v1::PoolState HealthLiveness::TruePoolState(const CheckedProxy& proxy, std::uint32_t key,
                                                   const TrueHealth& truth) const {
  if (!truth.alive) return admin::v1::POOL_STATE_UNHEALTHY;
  const log::v1::Settings& settings = model_.settings();
  const bool enough = truth.answers && static_cast<std::uint64_t>(truth.anonymity) >= settings.egress_min_anonymity();
  if (CanBeChecked(controlplane::v1::CHECK_LEVEL_EGRESS, proxy)) {
    return enough ? admin::v1::POOL_STATE_AVAILABLE : admin::v1::POOL_STATE_UNHEALTHY;
  }
  // Nobody checks what comes out: as it was seen last, if ever.
  const ModelKey egress{key, controlplane::v1::CHECK_LEVEL_EGRESS, 0};
  if (checks_.StateOf(egress) != admin::v1::HEALTH_STATE_UNKNOWN) return model_.Proxy(key)->state;
  return settings.egress_required() && !settings.trust_unchecked() ? admin::v1::POOL_STATE_PENDING
                                                                   : admin::v1::POOL_STATE_AVAILABLE;
}

std::string HealthLiveness::MissingOfProxy(const CheckedProxy& proxy, std::uint32_t key,
                                           const TrueHealth& truth) const {
  if (!CanBeChecked(controlplane::v1::CHECK_LEVEL_BASIC, proxy)) return "";
  const ModelProxy* in_pool = model_.Proxy(key);
  const ModelCheck* basic = checks_.Check({key, controlplane::v1::CHECK_LEVEL_BASIC, 0});
  if (in_pool == nullptr || basic == nullptr || basic->state != StateOf(truth.alive)) {
    return "BASIC of " + proxy.spec.proxy_id() + " is not what is true of it";
  }
  const admin::v1::PoolState expected = TruePoolState(proxy, key, truth);
  if (in_pool->state != expected) {
    return proxy.spec.proxy_id() + " is " + admin::v1::PoolState_Name(in_pool->state) + ", in truth it is " +
           admin::v1::PoolState_Name(expected);
  }
  return truth.alive ? MissingOfTargets(proxy, key, truth) : "";
}

// Each routing whose labels it carries and that has targets is checked, and it is marked for those that it does not
// reach.
std::string HealthLiveness::MissingOfTargets(const CheckedProxy& proxy, std::uint32_t key,
                                             const TrueHealth& truth) const {
  for (const ModelRouting& routing : checks_.routings()) {
    const std::string& id = routing.spec.routing_id();
    const std::string what = proxy.spec.proxy_id() + " for routing " + id;
    const ModelCheck* check = checks_.Check({key, controlplane::v1::CHECK_LEVEL_TARGET, routing.key});
    const bool served = routing.spec.targets_size() > 0 && routing.TakesLabelsOf(proxy.spec);
    if (served != (check != nullptr)) return what + (served ? " is not checked" : " is still checked");
    if (!served || !CanBeChecked(controlplane::v1::CHECK_LEVEL_TARGET, proxy)) continue;
    const bool reaches = !truth.unreachable.contains(id);
    if (check->state != StateOf(reaches)) return what + " is not what is true of it";
    const bool marked = std::count(proxy.marked.begin(), proxy.marked.end(), id) > 0;
    if (!reaches && !marked) return what + " is not marked";
    const bool may_be_open = routing.spec.min_anonymity() > controlplane::v1::ANONYMITY_TRANSPARENT;
    if (reaches && marked && !may_be_open) return what + " is still marked";
  }
  return "";
}

}  // namespace holdfast::simulation
