// The completion scripts of the three shells, made out of a CommandModel.
//
// Called by command_completion. Pure. bash and zsh get one shell function that walks the words typed so far down to the
// command they name; fish gets a line for each option, with a condition.

#pragma once

#include <string>

#include "tools/cli/command_model.h"

namespace holdfast::cli {

std::string BashCompletion(const CommandModel& model);
std::string ZshCompletion(const CommandModel& model);
std::string FishCompletion(const CommandModel& model);

}  // namespace holdfast::cli
