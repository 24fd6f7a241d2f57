// What a number of runs together must have reached, and what the simulated world cannot reach, with the reason: one
// table.
//
// Pure; from the generated messages and the tables of faults and operations. Thread: any.

#pragma once

#include <string>
#include <vector>

#include "tests/simulation/checkers/reached.h"

namespace holdfast::simulation {

struct Unreachable {
  const char* group;
  const char* name;
  const char* reason;
};

const std::vector<Unreachable>& UnreachableTable();

// "group: name" of everything that should have been reached and was not, and of everything that was reached though the
// table says that it cannot be. Empty: complete.
std::vector<std::string> MissingFrom(const Reached& reached);

}  // namespace holdfast::simulation
