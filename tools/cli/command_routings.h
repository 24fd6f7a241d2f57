// `holdfast routings list` and `holdfast routings apply FILE`.
//
// Added to the command line by RunCli. A file holds the routings in protobuf's JSON mapping: an ApplyRoutingsRequest, a
// bare list of RoutingSpec, or what `routings list --json` printed; the revision that stands in the latter is then the
// expected one, so that a list read, edited and applied never undoes somebody else's change.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names one of these commands. `chosen` outlives the parsing.
void AddRoutingsCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
