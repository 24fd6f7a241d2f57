// How a command ended: the exit code, and for a person what was wrong, where, and what to do.
//
// Thread: a plain value. The text is printed once, by RunCli, on stderr; it never holds a credential.

#pragma once

#include <string>
#include <utility>

#include "tools/common/exit_codes.h"

namespace holdfast::cli {

struct Result {
  ExitCode code = ExitCode::kDone;
  std::string error;  // empty: nothing to add to what the command printed

  static Result Done() { return {}; }
  static Result Fail(ExitCode code, std::string error) { return {code, std::move(error)}; }
  static Result CouldNotRun(std::string error) { return {ExitCode::kCouldNotRun, std::move(error)}; }

  bool ok() const { return code == ExitCode::kDone; }
};

}  // namespace holdfast::cli
