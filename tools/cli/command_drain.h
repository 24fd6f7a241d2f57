// `holdfast drain` asks that a worker gives back all that it has, and looks on until it has.
//
// Added to the command line by RunCli. FleetAdmin.DrainSession once, then WatchDrain (drain_monitor.h). Ends with 0
// only when the session was closed with every release proven. The request is never sent twice by itself.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names it. `chosen` outlives the parsing.
void AddDrainCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
