// What holdfast-replay says when it ends. The numbers are those that all programs of the house share.
//
// Thread: plain values.

#pragma once

#include <absl/status/status.h>

namespace holdfast::replay {

enum class ReplayExit : int {
  kSound = 0,         // did what was asked; nothing is wrong with the log as far as the command looks
  kFoundWanting = 1,  // the log is damaged, or what it says is not what the rules decide
  kCouldNotRun = 2,   // usage, no log there, a newer version's log, an interruption
};

// Damage is a finding; everything else is a reason not to have run. Requires: !status.ok().
inline ReplayExit ExitOf(const absl::Status& status) {
  return status.code() == absl::StatusCode::kDataLoss ? ReplayExit::kFoundWanting : ReplayExit::kCouldNotRun;
}

}  // namespace holdfast::replay
