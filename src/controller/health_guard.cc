#include "controller/health_guard.h"

#include <algorithm>
#include <set>

#include "controller/rule_constant.h"

namespace holdfast {
namespace {

constexpr std::uint64_t kMillion = RuleConstant<std::uint64_t>(1'000'000, 100);
constexpr std::uint64_t kMost = RuleConstant<std::uint64_t>(2, 1);  // more than one of so many

std::uint64_t SumOf(const std::map<CheckerKey, std::uint64_t>& by_checker) {
  std::uint64_t sum = 0;
  for (const auto& [checker, count] : by_checker) sum += count;
  return sum;
}

std::string_view LevelWord(CheckLevel level) {
  if (level == CheckLevel::kBasic) return "basic";
  return level == CheckLevel::kEgress ? "egress" : "target";
}

}  // namespace

std::string FreezeSubject(const ControllerState& state, const Freeze& freeze) {
  std::string subject(LevelWord(freeze.scope.level));
  if (freeze.scope.routing.value() != 0) {
    const RoutingSpec* routing = state.routings().Find(freeze.scope.routing);
    subject += "/" + (routing != nullptr ? routing->routing_id : "#" + std::to_string(freeze.scope.routing.value()));
  }
  if (freeze.checker.value() != 0) subject += "@" + state.checkers().At(freeze.checker).opened.checker_id.value();
  return subject;
}

void Thaw(const ControllerState& state, const Freeze& freeze, std::vector<Event>& events) {
  const HealthThawed thawed{freeze.scope.level, freeze.scope.routing, freeze.checker};
  if (std::find(events.begin(), events.end(), Event(thawed)) != events.end()) return;  // by this decision already
  events.emplace_back(thawed);
  const std::string subject = FreezeSubject(state, freeze);
  events.emplace_back(AlarmCleared{AlarmKind::kHealthFrozen, subject});
  const auto row = state.guard().freezes().find(freeze);
  if (row == state.guard().freezes().end()) return;  // it began with this decision
  for (const CheckKey& key : row->second.demoted) {
    if (state.pool().proxies().Find(key.proxy) == nullptr || state.checks().proxy(key.proxy).stopped) continue;
    const KeyHealth* health = state.health().proxy(key.proxy).Find(key.level, key.routing);
    if (health == nullptr || health->state != HealthState::kUnhealthy) continue;
    events.emplace_back(CheckRequested{key.proxy, key.level, key.routing, false});
  }
}

void ThawChecker(const ControllerState& state, CheckerKey checker, std::vector<Event>& events) {
  std::set<Freeze> its;
  for (const auto& [freeze, row] : state.guard().freezes()) {
    if (freeze.checker == checker) its.insert(freeze);
  }
  for (const Event& event : events) {
    const auto* begun = std::get_if<HealthFrozen>(&event);
    if (begun != nullptr && begun->checker == checker) its.insert({{begun->level, begun->routing}, checker});
  }
  for (const Freeze& freeze : its) Thaw(state, freeze, events);
}

void HealthGuard::Note(const GuardScope& scope, CheckerKey checker, bool passed, bool first) {
  VerdictCount& said = said_[{scope, checker}];
  ++(passed ? said.passes : said.failures);
  if (first) ++said.first_failures;
}

VerdictCount HealthGuard::Said(const GuardScope& scope, CheckerKey checker, Duration lately) const {
  VerdictCount said = state_.guard().Said(scope, checker, now_, lately);
  const auto found = said_.find({scope, checker});
  if (found != said_.end()) said += found->second;
  return said;
}

VerdictCount HealthGuard::SaidByAll(const GuardScope& scope, Duration lately) const {
  std::set<CheckerKey> checkers;
  for (const CheckerKey checker : state_.guard().Heard(scope)) checkers.insert(checker);
  for (const auto& [voice, said] : said_) {
    if (voice.scope == scope) checkers.insert(voice.checker);
  }
  VerdictCount sum;
  for (const CheckerKey checker : checkers) sum += Said(scope, checker, lately);
  return sum;
}

bool HealthGuard::OthersPass(const GuardScope& scope, CheckerKey checker) const {
  const Duration window = state_.settings().guard_window;
  const VerdictCount all = SaidByAll(scope, window);
  const VerdictCount its = Said(scope, checker, window);
  return all.passes - its.passes > all.failures - its.failures;
}

bool HealthGuard::IsFrozen(const Freeze& freeze) const {
  return state_.guard().freezes().contains(freeze) || std::find(begun_.begin(), begun_.end(), freeze) != begun_.end();
}

void HealthGuard::Begin(const Freeze& freeze, const std::string& what, std::uint64_t demoted, std::uint64_t of,
                        std::vector<Event>& events) {
  begun_.push_back(freeze);
  events.emplace_back(HealthFrozen{freeze.scope.level, freeze.scope.routing, freeze.checker, demoted, of});
  const std::string whose =
      freeze.checker.value() == 0 ? "" : ", all on the word of one checker while others' checks pass";
  events.emplace_back(
      AlarmRaised{AlarmKind::kHealthFrozen, FreezeSubject(state_, freeze),
                  std::to_string(demoted) + " of " + std::to_string(of) + what + whose +
                      "; no more of them turn UNHEALTHY until most pass again or this alarm is cleared"});
}

bool HealthGuard::MostBeganToFail(const VerdictCount& said) const {
  return said.first_failures >= state_.settings().guard_minimum &&
         kMost * said.first_failures > said.first_failures + said.passes;
}

bool HealthGuard::HoldsEarly(const GuardScope& scope, CheckerKey checker, std::vector<Event>& events) {
  const Settings& settings = state_.settings();
  const auto rounds = static_cast<std::int64_t>(settings.failures_to_unhealthy) - 1;
  // While the first of it failed so often; and the whole window, where so little is looked at in that time.
  for (const Duration lately : {std::max(rounds, std::int64_t{1}) * settings.suspect_interval, settings.guard_window}) {
    const VerdictCount all = SaidByAll(scope, lately);
    const VerdictCount its = Said(scope, checker, lately);
    const bool others_pass = all.passes - its.passes > all.first_failures - its.first_failures;
    const bool alone = MostBeganToFail(its) && others_pass;
    if (!alone && !MostBeganToFail(all)) continue;
    const VerdictCount& said = alone ? its : all;
    Begin({scope, alone ? checker : CheckerKey()}, " that were up and were looked at lately have begun to fail",
          said.first_failures, said.first_failures + said.passes, events);
    return true;
  }
  return false;
}

bool HealthGuard::Holds(const GuardScope& scope, CheckerKey checker, bool counts, std::vector<Event>& events) {
  const Freeze all{scope, CheckerKey()};
  const Freeze one{scope, checker};
  if (IsFrozen(all) || IsFrozen(one)) return true;
  // Whose BASIC checks are suspected says nothing about what lies behind the proxy either.
  const GuardScope basic{CheckLevel::kBasic, RoutingKey()};
  if (IsFrozen({basic, CheckerKey()}) || IsFrozen({basic, checker})) return true;
  if (!counts) return false;
  if (HoldsEarly(scope, checker, events)) return true;
  const bool pool = scope.routing.value() == 0;
  const Tally& tally = TallyOf(scope);
  const std::uint64_t in_scope = SumOf(tally);
  std::uint64_t would = in_scope + 1;
  if (pool) {  // a proxy is down by either of the two
    const bool at_basic = scope.level == CheckLevel::kBasic;
    would += SumOf(TallyOf({at_basic ? CheckLevel::kEgress : CheckLevel::kBasic, RoutingKey()}));
  }
  const GuardScope counted{pool ? CheckLevel::kBasic : CheckLevel::kTarget, scope.routing};
  const std::uint64_t up = state_.health().up(counted.level, counted.routing);
  const std::uint64_t were_up = up + static_cast<std::uint64_t>(moved_[counted]) + SumOf(TallyOf(counted));
  const auto its = tally.find(checker);
  const bool all_its = in_scope == (its == tally.end() ? 0 : its->second);
  const std::uint64_t minimum = state_.settings().guard_minimum;
  if (all_its && in_scope + 1 >= minimum && OthersPass(scope, checker)) {
    Begin(one, " that were up have failed within a minute", in_scope + 1, were_up, events);
    return true;
  }
  if (would < minimum || would * kMillion <= state_.settings().guard_share_ppm * were_up) return false;
  Begin(all, " that were up have failed within a minute", would, were_up, events);
  return true;
}

HealthGuard::Tally& HealthGuard::TallyOf(const GuardScope& scope) {
  const auto [found, added] = demoted_.try_emplace(scope);
  if (added) found->second = state_.guard().Demoted(scope, now_);
  return found->second;
}

void HealthGuard::Demoted(const GuardScope& scope, CheckerKey checker) { ++TallyOf(scope)[checker]; }

// Not before a whole window has passed: what was said before it began is no word for lifting it.
void HealthGuard::Lift(std::vector<Event>& events) const {
  const Duration window = state_.settings().guard_window;
  for (const auto& [freeze, row] : state_.guard().freezes()) {
    if (!IsOver(row.since + window, now_)) continue;
    const VerdictCount said =
        freeze.checker.value() == 0 ? SaidByAll(freeze.scope, window) : Said(freeze.scope, freeze.checker, window);
    if (said.passes > said.failures) Thaw(state_, freeze, events);
  }
}

}  // namespace holdfast
