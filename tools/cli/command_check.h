// `holdfast check PROXY`: an operator's own check, made now by one of the checkers.
//
// Added to the command line by RunCli. PoolAdmin.CheckProxy answers when the check was observed, or not in time; the
// command waits for that and says so. Ctrl-C ends the waiting, not the check.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names this command. `chosen` outlives the parsing.
void AddCheckCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
