// `holdfast reclaim` asks back proxies from whoever owns them.
//
// Added to the command line by RunCli. FleetAdmin.ReclaimProxies, a call a batch; what was answered stands, also when a
// later batch fails. Does not wait until they are given back: `holdfast proxies` shows that.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names it. `chosen` outlives the parsing.
void AddReclaimCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
