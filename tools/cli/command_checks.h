// `holdfast checks`: what is known of the health of each proxy, level by level, and how old that is.
//
// Added to the command line by RunCli. Printed as it comes (PoolAdmin.ListChecks), never held whole; for people a last
// line sums it up. `holdfast check` (command_check.h) has one check made now.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names this command. `chosen` outlives the parsing.
void AddChecksCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
