// Runs a program to its end, with what it says kept.
//
// Thread: any. Requires: arguments without quotes or spaces that a shell would split.

#pragma once

#include <string>

namespace holdfast::testing {

struct Ended {
  int exit = -1;       // -1: by a signal, or it could not be started
  std::string output;  // both streams
};

Ended RunProgram(const std::string& command_line);

}  // namespace holdfast::testing
