// Ctrl-C, SIGTERM and a reader of our output that has gone away: the command ends by itself, so that what it opened is
// closed and its temporary files are removed.
//
// Life cycle: one per process, made first thing in main. Thread: IsRequested from any; WaitFor from one.

#pragma once

#include "base/log_time.h"

namespace holdfast::replay {

class Interruption {
 public:
  // Takes SIGINT, SIGTERM and SIGPIPE for the process.
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool IsRequested();

  // Waits for so long, or until a signal comes; false: one came.
  static bool WaitFor(Duration duration);
};

}  // namespace holdfast::replay
