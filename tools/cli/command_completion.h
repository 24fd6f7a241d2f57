// `holdfast completion bash|zsh|fish`: prints the script that makes the shell complete commands and options.
//
// Added to the command line by RunCli, last: the script is made out of the commands and options that stand in `app`
// when it is asked for, so it cannot be older than they are. Asks nothing of a daemon.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names this command. `app` and `chosen` outlive the parsing and the command.
void AddCompletionCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
