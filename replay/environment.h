// What a command of the replay tool has around it: where it writes, and how it is told to stop.
//
// Made by main, or by a test. Thread: the command's, but is_interrupted from any.

#pragma once

#include <functional>
#include <ostream>

#include "base/log_time.h"

namespace holdfast::replay {

struct Environment {
  std::ostream& out;
  std::ostream& errors;
  bool shows_progress = false;                // `errors` is a terminal
  std::function<bool()> is_interrupted = {};  // may be null: never
  // Waits for so long, or until interrupted; false: interrupted. Null: nothing is waited for (--follow ends at the
  // end).
  std::function<bool(Duration)> wait = {};

  bool interrupted() const { return is_interrupted && is_interrupted(); }
};

}  // namespace holdfast::replay
