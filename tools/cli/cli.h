// The whole command line: reads it, runs the one command that it names, prints what went wrong, gives the exit code.
//
// Called by main.cc once, and by the tests as often as they like: it has no state of its own. Thread: the caller's.
// Promises that no exception leaves it and that each error is on the error stream, with what was wrong, where and what
// to do. The exit codes are those of tools/common/exit_codes.h.

#pragma once

#include <string>
#include <vector>

#include "tools/cli/environment.h"
#include "tools/common/exit_codes.h"

namespace holdfast::cli {

// `arguments` is without the program's name.
ExitCode RunCli(const std::vector<std::string>& arguments, Environment& environment);

}  // namespace holdfast::cli
