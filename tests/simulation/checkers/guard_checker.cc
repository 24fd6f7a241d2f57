#include "tests/simulation/checkers/guard_checker.h"

#include <algorithm>

namespace holdfast::simulation {
namespace {

using controlplane::v1::CheckLevel;
using log::v1::Event;

constexpr std::size_t kMostKept = 4'096;
constexpr std::uint64_t kMillion = 1'000'000;

std::string TextOfFreeze(CheckLevel level, std::uint32_t routing, std::uint32_t checker) {
  std::string text = controlplane::v1::CheckLevel_Name(level);
  if (routing != 0) text += " of routing " + std::to_string(routing);
  return checker == 0 ? text : text + " on the word of checker " + std::to_string(checker);
}

}  // namespace

void GuardChecker::Wrong(const Entry& entry, const std::string& what) {
  violations_.Add("guard", "sequence " + std::to_string(entry.sequence) + ": " + what);
}

void GuardChecker::Before(const Entry& entry, const Event& event) {
  if (event.has_settings_changed()) BeforeSettings(entry, event.settings_changed().settings());
  if (event.has_check_observed()) BeforeObserved(entry, event.check_observed());
  if (event.has_health_changed()) BeforeChanged(entry, event.health_changed());
  if (event.has_health_frozen()) BeforeFrozen(entry, event.health_frozen());
  if (event.has_health_thawed()) BeforeThawed(entry, event.health_thawed());
}

bool GuardChecker::IsUp(const ModelKey& key) const {
  const admin::v1::HealthState state = checks_.StateOf(key);
  return health_.passed(key) &&
         (state == admin::v1::HEALTH_STATE_AVAILABLE || state == admin::v1::HEALTH_STATE_SUSPECT);
}

bool GuardChecker::Counts(const ModelKey& key) const {
  const ModelProxy* proxy = model_.Proxy(key.proxy);
  if (proxy == nullptr || !IsUp(key)) return false;
  return key.level == controlplane::v1::CHECK_LEVEL_TARGET || proxy->state == admin::v1::POOL_STATE_AVAILABLE ||
         proxy->state == admin::v1::POOL_STATE_SUSPECT;
}

// In a window each key of its level is looked at once.
std::int64_t GuardChecker::WindowOf(CheckLevel level) const {
  const log::v1::Settings& settings = model_.settings();
  std::int64_t interval = settings.target_interval();
  if (level == controlplane::v1::CHECK_LEVEL_BASIC) interval = settings.basic_interval();
  if (level == controlplane::v1::CHECK_LEVEL_EGRESS) interval = settings.egress_interval();
  return std::max(settings.guard_window(), interval);
}

std::uint64_t GuardChecker::DemotedLately(const ModelKey& key, std::int64_t now_us) const {
  return static_cast<std::uint64_t>(std::count_if(demotions_.begin(), demotions_.end(), [&](const Demotion& demotion) {
    return demotion.key.routing == key.routing && now_us < demotion.at_us + WindowOf(demotion.key.level);
  }));
}

std::uint64_t GuardChecker::DemotedBy(const ModelKey& key, std::uint32_t checker, std::int64_t now_us) const {
  return static_cast<std::uint64_t>(std::count_if(demotions_.begin(), demotions_.end(), [&](const Demotion& demotion) {
    return demotion.key.routing == key.routing && demotion.key.level == key.level && demotion.checker == checker &&
           now_us < demotion.at_us + WindowOf(demotion.key.level);
  }));
}

std::uint64_t GuardChecker::WereUp(const ModelKey& key, std::int64_t now_us) const {
  const bool pool = key.routing == 0;
  const CheckLevel level = pool ? controlplane::v1::CHECK_LEVEL_BASIC : controlplane::v1::CHECK_LEVEL_TARGET;
  std::uint64_t up = 0;
  for (const auto& [proxy, checked] : checks_.proxies()) up += IsUp({proxy, level, key.routing}) ? 1 : 0;
  for (const Demotion& demotion : demotions_) {
    const bool its = demotion.key.routing == key.routing && demotion.key.level == level;
    up += its && now_us < demotion.at_us + WindowOf(level) ? 1 : 0;
  }
  return up;
}

bool GuardChecker::IsOverShare(std::uint64_t demoted, std::uint64_t of) const {
  const log::v1::Settings& settings = model_.settings();
  return demoted >= settings.guard_minimum() && demoted * kMillion > settings.guard_share_ppm() * of;
}

// ---- what was looked at lately -------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t kSlices = 12;

std::int64_t SliceLength(const log::v1::Settings& settings) {
  return std::max<std::int64_t>(1, settings.guard_window() / kSlices);
}

}  // namespace

void GuardChecker::BeforeSettings(const Entry& entry, const log::v1::Settings& settings) {
  // What is over stays over, whatever the windows are from now on.
  std::erase_if(demotions_,
                [&](const Demotion& demotion) { return entry.at_us >= demotion.at_us + WindowOf(demotion.key.level); });
  if (SliceLength(settings) != SliceLength(model_.settings())) looks_.clear();
}

void GuardChecker::BeforeObserved(const Entry& entry, const log::v1::CheckObserved& observed) {
  const ModelKey key{observed.proxy(), observed.level(), observed.routing()};
  if (observed.verdict() == controlplane::v1::VERDICT_INCONCLUSIVE || !IsUp(key)) return;
  const bool passed = observed.verdict() == controlplane::v1::VERDICT_PASS;
  looks_.push_back({entry.at_us, observed.level(), observed.routing(), observed.checker(), passed,
                    !passed && observed.failures() <= 1});
  while (looks_.front().at_us + 2 * model_.settings().guard_window() < entry.at_us) looks_.pop_front();
}

GuardChecker::Begun GuardChecker::Lately(const ModelKey& key, std::uint32_t checker, bool by, std::int64_t now_us,
                                         std::int64_t slices) const {
  const std::int64_t slice = SliceLength(model_.settings());
  Begun begun;
  for (const Look& look : looks_) {
    const bool its = look.level == key.level && look.routing == key.routing && (look.checker == checker) == by;
    if (!its || now_us / slice - look.at_us / slice >= slices) continue;
    begun.passing += look.passed ? 1 : 0;
    begun.failing += look.first ? 1 : 0;
  }
  return begun;
}

bool GuardChecker::IsMost(const Begun& begun) const {
  return begun.failing >= model_.settings().guard_minimum() && begun.failing > begun.passing;
}

bool GuardChecker::IsSuspectBy(const Begun& its, const Begun& others, bool alone) const {
  if (alone) return IsMost(its) && others.passing > others.failing;
  return IsMost({its.failing + others.failing, its.passing + others.passing});
}

// In the time that the first to fail takes to its last failure, or in the whole window. more: failures that have begun
// since, and are not told yet.
bool GuardChecker::IsSuspect(const ModelKey& key, std::uint32_t checker, std::int64_t now_us,
                             std::uint64_t more) const {
  const log::v1::Settings& settings = model_.settings();
  const auto rounds = std::max<std::int64_t>(1, static_cast<std::int64_t>(settings.failures_to_unhealthy()) - 1);
  const std::int64_t first = rounds * settings.suspect_interval() / SliceLength(settings);
  for (const std::int64_t slices : {std::clamp<std::int64_t>(first, 1, kSlices), kSlices}) {
    Begun its = Lately(key, checker, true, now_us, slices);
    its.failing += more;
    if (IsSuspectBy(its, Lately(key, checker, false, now_us, slices), checker != 0)) return true;
  }
  return false;
}

// ---- the guard -----------------------------------------------------------------------------------------------------

void GuardChecker::BeforeChanged(const Entry& entry, const log::v1::HealthChanged& changed) {
  const ModelKey key = KeyOf(changed);
  if (changed.state() != admin::v1::HEALTH_STATE_UNHEALTHY || !IsUp(key)) return;
  if (checks_.IsFrozen(key, changed.checker())) Wrong(entry, TextOf(key) + " turns UNHEALTHY while that is frozen");
  if (!Counts(key)) return;
  const std::uint64_t demoted = DemotedLately(key, entry.at_us) + 1;
  const std::uint64_t of = WereUp(key, entry.at_us);
  if (IsOverShare(demoted, of)) {
    Wrong(entry, TextOf(key) + " turns UNHEALTHY as number " + std::to_string(demoted) + " within a window, of " +
                     std::to_string(of) + " that were up");
  }
  if (IsSuspect(key, changed.checker(), entry.at_us, 0) || IsSuspect(key, 0, entry.at_us, 0)) {
    Wrong(entry, TextOf(key) + " turns UNHEALTHY while most of what is looked at begins to fail");
  }
  demotions_.push_back({entry.at_us, key, changed.checker()});
  if (demotions_.size() > kMostKept) demotions_.pop_front();
}

void GuardChecker::BeforeFrozen(const Entry& entry, const log::v1::HealthFrozen& frozen) {
  const std::string what = TextOfFreeze(frozen.level(), frozen.routing(), frozen.checker());
  reached_.Count("freeze", frozen.checker() == 0 ? "of everybody's word" : "of one checker's word");
  if (checks_.freezes().contains({frozen.level(), frozen.routing(), frozen.checker()})) {
    Wrong(entry, what + " is frozen twice");
  }
  const ModelKey key{0, frozen.level(), frozen.routing()};
  const bool alone = frozen.checker() != 0;
  const std::uint64_t would =
      (alone ? DemotedBy(key, frozen.checker(), entry.at_us) : DemotedLately(key, entry.at_us)) + 1;
  const std::uint64_t of = WereUp(key, entry.at_us);
  // Where one failure is enough, the one that it is frozen at is told only after it.
  const std::uint64_t untold = model_.settings().failures_to_unhealthy() == 1 ? 1 : 0;
  if (IsSuspect(key, frozen.checker(), entry.at_us, untold)) return;
  if (alone ? would < model_.settings().guard_minimum() : !IsOverShare(would, of)) {
    Wrong(entry, what + " is frozen for " + std::to_string(would) + " within a window, of " + std::to_string(of) +
                     " that were up");
  }
}

// By what is said, by an operator, with the checker, with the routing: never by time alone.
void GuardChecker::BeforeThawed(const Entry& entry, const log::v1::HealthThawed& thawed) {
  const std::string what = TextOfFreeze(thawed.level(), thawed.routing(), thawed.checker());
  if (!checks_.freezes().contains({thawed.level(), thawed.routing(), thawed.checker()})) {
    Wrong(entry, what + " is lifted, and was not frozen");
  }
  const auto closes = [&](const Event& event) {
    return event.has_checker_closed() && event.checker_closed().checker() == thawed.checker();
  };
  const auto& events = entry.events.events();
  std::string by;
  if (entry.input.has_report_observations() || entry.input.has_report_outcomes()) by = "by what is said";
  if (entry.input.has_apply_routings()) by = "with its routing";
  if (entry.input.has_clear_alarm()) by = "by an operator";
  if (std::any_of(events.begin(), events.end(), closes)) by = "with its checker";
  if (by.empty()) Wrong(entry, what + " is lifted by nothing");
  reached_.Count("freeze lifted", by);
}

}  // namespace holdfast::simulation
