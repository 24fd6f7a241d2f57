#include "controller/health_guard.h"

#include <algorithm>
#include <set>

#include "controller/rule_constant.h"

namespace holdfast {
namespace {

constexpr std::uint64_t kMillion = RuleConstant<std::uint64_t>(1'000'000, 100);

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

void HealthGuard::Note(const GuardScope& scope, CheckerKey checker, bool passed) {
  VerdictCount& said = said_[{scope, checker}];
  ++(passed ? said.passes : said.failures);
}

VerdictCount HealthGuard::Said(const GuardScope& scope, CheckerKey checker) const {
  VerdictCount said = state_.guard().Said(scope, checker, now_);
  const auto found = said_.find({scope, checker});
  if (found == said_.end()) return said;
  said.passes += found->second.passes;
  said.failures += found->second.failures;
  return said;
}

VerdictCount HealthGuard::SaidByAll(const GuardScope& scope) const {
  std::set<CheckerKey> checkers;
  for (const CheckerKey checker : state_.guard().Heard(scope)) checkers.insert(checker);
  for (const auto& [voice, said] : said_) {
    if (voice.scope == scope) checkers.insert(voice.checker);
  }
  VerdictCount sum;
  for (const CheckerKey checker : checkers) {
    const VerdictCount said = Said(scope, checker);
    sum.passes += said.passes;
    sum.failures += said.failures;
  }
  return sum;
}

bool HealthGuard::OthersPass(const GuardScope& scope, CheckerKey checker) const {
  const VerdictCount all = SaidByAll(scope);
  const VerdictCount its = Said(scope, checker);
  return all.passes - its.passes > all.failures - its.failures;
}

bool HealthGuard::IsFrozen(const Freeze& freeze) const {
  return state_.guard().freezes().contains(freeze) || std::find(begun_.begin(), begun_.end(), freeze) != begun_.end();
}

void HealthGuard::Begin(const Freeze& freeze, std::uint64_t demoted, std::uint64_t of, std::vector<Event>& events) {
  begun_.push_back(freeze);
  events.emplace_back(HealthFrozen{freeze.scope.level, freeze.scope.routing, freeze.checker, demoted, of});
  const std::string whose =
      freeze.checker.value() == 0 ? "" : ", all on the word of one checker while others' checks pass";
  events.emplace_back(
      AlarmRaised{AlarmKind::kHealthFrozen, FreezeSubject(state_, freeze),
                  std::to_string(demoted) + " of " + std::to_string(of) + " that were up have failed within a minute" +
                      whose + "; no more of them turn UNHEALTHY until most pass again or this alarm is cleared"});
}

bool HealthGuard::Holds(const GuardScope& scope, CheckerKey checker, bool counts, std::vector<Event>& events) {
  const Freeze all{scope, CheckerKey()};
  const Freeze one{scope, checker};
  if (IsFrozen(all) || IsFrozen(one)) return true;
  if (!counts) return false;
  const bool pool = scope.routing.value() == 0;
  const Tally& tally = TallyOf(scope);
  const std::uint64_t in_scope = SumOf(tally);
  std::uint64_t would = in_scope + 1;
  if (pool) {  // a proxy is down by either of the two
    const bool basic = scope.level == CheckLevel::kBasic;
    would += SumOf(TallyOf({basic ? CheckLevel::kEgress : CheckLevel::kBasic, RoutingKey()}));
  }
  const GuardScope counted{pool ? CheckLevel::kBasic : CheckLevel::kTarget, scope.routing};
  const std::uint64_t up = state_.health().up(counted.level, counted.routing);
  const std::uint64_t were_up = up + static_cast<std::uint64_t>(moved_[counted]) + SumOf(TallyOf(counted));
  const auto its = tally.find(checker);
  const bool all_its = in_scope == (its == tally.end() ? 0 : its->second);
  const std::uint64_t minimum = state_.settings().guard_minimum;
  if (all_its && in_scope + 1 >= minimum && OthersPass(scope, checker)) {
    Begin(one, in_scope + 1, were_up, events);
    return true;
  }
  if (would < minimum || would * kMillion <= state_.settings().guard_share_ppm * were_up) return false;
  Begin(all, would, were_up, events);
  return true;
}

HealthGuard::Tally& HealthGuard::TallyOf(const GuardScope& scope) {
  const auto [found, added] = demoted_.try_emplace(scope);
  if (added) found->second = state_.guard().Demoted(scope, now_);
  return found->second;
}

void HealthGuard::Demoted(const GuardScope& scope, CheckerKey checker) { ++TallyOf(scope)[checker]; }

void HealthGuard::Lift(std::vector<Event>& events) const {
  for (const auto& [freeze, row] : state_.guard().freezes()) {
    const VerdictCount said =
        freeze.checker.value() == 0 ? SaidByAll(freeze.scope) : Said(freeze.scope, freeze.checker);
    if (said.passes > said.failures) Thaw(state_, freeze, events);
  }
}

}  // namespace holdfast
