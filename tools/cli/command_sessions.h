// `holdfast sessions`: who is registered: workers, checkers, agents, providers.
//
// Added to the command line by RunCli. Prints as the pages of FleetAdmin.ListSessions come (session_list.h). What only
// workers have is empty for the others; `holdfast checkers` has the columns of a checker.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names this command. `chosen` outlives the parsing.
void AddSessionsCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
