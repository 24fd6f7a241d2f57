// `holdfast import FILE...`: reads proxy lists, sends what is good, tells what is not.
//
// Added to the command line by RunCli. The lists are parsed here (tools/import); credentials stay here, in the file
// that
// --secrets-out names, and only their references go to the daemon. Ends with 0 when every line was taken, known or
// skipped, with 1 when lines were rejected. What a failed or interrupted import had answered is durable; the same
// command again goes on, since an import is idempotent.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names this command. `chosen` outlives the parsing.
void AddImportCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
