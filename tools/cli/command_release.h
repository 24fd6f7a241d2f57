// `holdfast release`: a client gives back what it extracted, all of it or some proxies.
//
// Added to the command line by RunCli. Calls Distribution.Release, again under the same request_id where no answer came
// (repeated_call.h). All that is named comes back, or nothing does.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names this command. `chosen` outlives the parsing.
void AddReleaseCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
