// `holdfast clock status` shows the log's clock beside the wall clock; `holdfast clock accept` moves it there.
//
// Added to the command line by RunCli. Audit.GetStatus and FleetAdmin.ListAlarms; FleetAdmin.AcceptClock. The log's
// clock moves forward only, and every deadline of members with it.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names one of these commands. `chosen` outlives the parsing.
void AddClockCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
