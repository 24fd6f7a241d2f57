// `holdfast audit ownership`: who held a proxy, or what a worker or a client held, when, and by which entries of the
// log.
//
// Added to the command line by RunCli. Asks Audit.OwnershipHistory and prints as the periods come.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names one of these commands. `chosen` outlives the parsing.
void AddAuditCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
