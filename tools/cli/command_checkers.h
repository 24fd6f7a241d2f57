// `holdfast checkers`: who checks, in which state, with how many tasks.
//
// Added to the command line by RunCli. It is `holdfast sessions --kind checker` with the columns of a checker
// (session_list.h). What checks have found is shown by `holdfast checks`.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names this command. `chosen` outlives the parsing.
void AddCheckersCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
