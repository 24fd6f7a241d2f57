// What a CheckerClient tells whoever runs it. Every method is called on the scheduler's thread, from within the client:
// it may call Report, must not destroy the client, and should not take long. Default: nothing.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/session_lifecycle.h"
#include "client/call_record.h"
#include "controlplane/v1/controlplane.pb.h"
#include "session/session_machine.h"

namespace holdfast::client {

// What became of a task that was received. Those up to kQueued will have another word, the rest are the last one.
enum class TaskFate : std::uint8_t {
  kStarted,       // given to the handler
  kQueued,        // waits: max_concurrency are running
  kAnswered,      // its observation goes out with a report
  kInconclusive,  // no level of this checker, or no timeout: answered so at once, the handler never saw it
  kRepeated,      // the same task_id is under way already: ignored
  kNotTaken,      // it came while this session drains, or without a task_id: ignored
  kCancelled,     // the controller took it back
  kTimedOut,      // its timeout is over without an observation
  kSessionOver,   // its session is over; nothing is inherited
};

constexpr std::string_view TaskFateText(TaskFate fate) {
  constexpr std::string_view kTexts[] = {"started",   "queued",    "answered",  "inconclusive", "repeated",
                                         "not_taken", "cancelled", "timed_out", "session_over"};
  return kTexts[static_cast<std::size_t>(fate)];
}

// Why an observation did not come to count.
enum class ObservationLoss : std::uint8_t {
  kNoTask,       // reported for a task that is not running: after its end, or twice
  kSessionOver,  // it waited, or its report had no answer yet, when its session ended
  kRefused,      // the report that carried it was refused for good
  kUnknown,      // the controller did not have its task any more (unknown_task_ids)
};

constexpr std::string_view ObservationLossText(ObservationLoss loss) {
  constexpr std::string_view kTexts[] = {"no_task", "session_over", "refused", "unknown"};
  return kTexts[static_cast<std::size_t>(loss)];
}

class CheckerObserver {
 public:
  virtual ~CheckerObserver() = default;

  // Every call that ended, also the refused ones, before the client acts on it; a Watch when its stream ended.
  virtual void OnCall(const CallRecord& /*record*/) {}
  virtual void OnState(LifecycleState /*state*/) {}

  // Of these, each once for an answer that was OK.
  virtual void OnRegistered(const controlplane::v1::RegisterCheckerRequest& /*request*/,
                            const controlplane::v1::RegisterCheckerResponse& /*response*/) {}
  virtual void OnReport(const controlplane::v1::ReportObservationsRequest& /*request*/,
                        const controlplane::v1::ReportObservationsResponse& /*response*/) {}

  virtual void OnWatch(const controlplane::v1::WatchTasksRequest& /*request*/) {}
  // An update came on the newest stream; before anything is done about it.
  virtual void OnUpdate(const controlplane::v1::TaskUpdate& /*update*/) {}
  virtual void OnTask(const std::string& /*task_id*/, TaskFate /*fate*/) {}
  virtual void OnObservationLost(const std::string& /*task_id*/, ObservationLoss /*loss*/) {}

  // The last word of this client: why it ended.
  virtual void OnFinished(session::SessionEnd /*end*/, const std::string& /*why*/) {}
};

}  // namespace holdfast::client
