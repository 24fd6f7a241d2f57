// `holdfast extract`: a client takes machines exclusively, for a time.
//
// Added to the command line by RunCli. Calls Distribution.Extract, again under the same request_id where no answer
// came (repeated_call.h). What was given is printed whole, once; a client that gets fewer machines than it asked for is
// told so, and the command ends with 1. Does not use or check what it got, and gives nothing back: `holdfast release`.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names this command. `chosen` outlives the parsing.
void AddExtractCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
