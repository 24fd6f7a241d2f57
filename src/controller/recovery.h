// Recovery: the state, folded again from the log. Every block is checked against the one before it as it is read.
//
// Thread: the caller's, once, before anything is served. DataLoss names the sequence at which the log does not hold;
// nothing is changed and nothing is skipped. (Checkpoints, of a later version, will let the fold begin nearer to the
// end.)

#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/sequencer.h"
#include "events/event_log.h"
#include "projections/controller_state.h"

namespace holdfast {

struct RecoveredLog {
  Sequencer::Tip tip;
  std::optional<LogId> log_id;   // nullopt: the log is empty
  LogTime last_at;               // of the last entry, and as far behind it as that entry moved the clock
  std::string boot_id;           // of the last block
  std::int64_t boot_micros = 0;  // when it was sealed
};

// Folds the whole log into each of the states. progress: called now and then with the last folded sequence.
absl::StatusOr<RecoveredLog> Recover(const EventLog& log, const std::vector<ControllerState*>& states,
                                     const std::function<void(Sequence)>& progress);

}  // namespace holdfast
