// `holdfast proxies` lists the pool; `holdfast proxies remove` takes proxies out of it.
//
// Added to the command line by RunCli. Lists are printed as they come (PoolAdmin.ListProxies), never held whole. What
// is removed while a worker holds it is drained first: the answer says how many are gone and how many will be.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names one of these commands. `chosen` outlives the parsing.
void AddProxiesCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
