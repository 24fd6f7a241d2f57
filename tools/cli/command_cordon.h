// `holdfast cordon` and `holdfast uncordon`: whether a worker may be given work, whichever session it has.
//
// Added to the command line by RunCli. One call, FleetAdmin.SetEligibility; the worker need not have been seen yet.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names one of them. `chosen` outlives the parsing.
void AddCordonCommands(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
