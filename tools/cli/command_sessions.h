// `holdfast sessions`: who is registered: workers, checkers, agents, providers.
//
// Added to the command line by RunCli. Asks FleetAdmin.ListSessions page by page and prints as the pages come; pages
// may be of different moments, and as_of_sequence is that of the last.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names this command. `chosen` outlives the parsing.
void AddSessionsCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
