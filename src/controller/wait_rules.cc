#include "controller/wait_rules.h"

namespace holdfast {

void StartWait(const Settings& settings, WaitReason reason, LogTime now, std::vector<Event>& events) {
  events.emplace_back(WaitStarted{reason, now + settings.snapshot_validity + settings.lapse_grace});
  events.emplace_back(
      AlarmRaised{AlarmKind::kHoldOff, "",
                  reason == WaitReason::kHistoryLost
                      ? "a worker remembers more than this log: nothing is granted until what the lost part may have "
                        "granted is over"
                      : "a new log: nothing is granted until what an earlier one may have granted is over"});
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
