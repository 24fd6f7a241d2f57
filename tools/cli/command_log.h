// `holdfast log`: the entries of the log, a line each; with --follow as they are committed.
//
// Added to the command line by RunCli. Goes on by itself where the daemon cut a slow reader off, and with --follow also
// after the connection broke: from the sequence that would have come next, so that no entry is missing or shown twice.
// Ctrl-C ends --follow with 0.

#pragma once

#include "tools/cli/invocation.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

// Sets `chosen` when the command line names this command. `chosen` outlives the parsing.
void AddLogCommand(CLI::App& app, Action& chosen);

}  // namespace holdfast::cli
