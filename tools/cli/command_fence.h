// `holdfast fence` ends a worker's session at once and says until when what it had may still be in use.
//
// Added to the command line by RunCli. One call, FleetAdmin.FenceSession.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names it. `chosen` outlives the parsing.
void AddFenceCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
