// The replay tool: its command line, and which command it runs on which log.
//
// Called by main, and by tests. Thread: one call at a time in a process (it sets the hook of CHECK). Promises: the
// directory is opened for reading only and not one byte in it changes, beside a writer or not; exit codes as in
// replay_exit.h.

#pragma once

#include <string>
#include <vector>

#include "replay/environment.h"
#include "replay/replay_exit.h"

namespace holdfast::replay {

// `arguments`: without the program's name.
ReplayExit RunReplay(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace holdfast::replay
