// `holdfast alarms` lists the alarms that stand; `holdfast alarms clear` ends one.
//
// Added to the command line by RunCli. FleetAdmin.ListAlarms and ClearAlarm. Clearing mends nothing; what each kind
// asks for stands in docs/operations/alarms.md.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names one of these commands. `chosen` outlives the parsing.
void AddAlarmsCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
