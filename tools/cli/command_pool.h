// `holdfast pool diff`, `pool rebuild`, `pool adopt`: the pool store against the log, and what mends it.
//
// Added to the command line by RunCli. Differences are printed as they come (PoolAdmin.DiffPool), never held whole; one
// ends with 1. A rebuild is one long call: what it writes anew is the store alone, the log stays as it is.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names one of these commands. `chosen` outlives the parsing.
void AddPoolCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
