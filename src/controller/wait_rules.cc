#include "controller/wait_rules.h"

namespace holdfast {
namespace {

const char* WhyHeldOff(WaitReason reason) {
  switch (reason) {
    case WaitReason::kHistoryLost:
      return "a worker remembers more than this log: nothing is granted until what the lost part may have granted is "
             "over";
    case WaitReason::kPoolForeign:
      return "the pool store holds what this log does not know: nothing is granted until what may have been granted is "
             "over and an operator has adopted the store";
    default:
      return "a new log: nothing is granted until what an earlier one may have granted is over";
  }
}

}  // namespace

void StartWait(const Settings& settings, WaitReason reason, LogTime now, std::vector<Event>& events) {
  events.emplace_back(WaitStarted{reason, now + settings.snapshot_validity + settings.lapse_grace});
  events.emplace_back(AlarmRaised{AlarmKind::kHoldOff, "", WhyHeldOff(reason)});
}

std::optional<LogTime> WaitEndsAt(const ControllerState& state) {
  const LogTime wait = state.run().wait_until();
  if (IsAbsent(wait) || state.pool_store().must_be_adopted()) return std::nullopt;
  return wait;
}

Decision EndWait(const ControllerState& state, LogTime) {
  Decision decision;
  decision.events.emplace_back(WaitEnded{});
  if (state.run().alarms().contains({AlarmKind::kHoldOff, ""})) {
    decision.events.emplace_back(AlarmCleared{AlarmKind::kHoldOff, ""});
  }
  return decision;
}

}  // namespace holdfast
