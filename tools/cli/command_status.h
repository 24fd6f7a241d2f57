// `holdfast status`: one screen for a person on call, or one JSON object.
//
// Added to the command line by RunCli. Asks Audit.GetStatus once. Ends with 0 whenever the daemon answered; with
// --check it ends with 1 where the daemon does not serve, holds off or has an alarm, so that a monitor needs no parser.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names this command. `chosen` outlives the parsing.
void AddStatusCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
