// A run, told: for people, and as JSON.
//
// Thread: pure functions on plain values.

#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "tests/simulation/run/simulation.h"

namespace holdfast::simulation {

// The command that repeats it.
std::string RepeatCommand(const RunOptions& options);

void PrintRates(const RunResult& result, std::ostream& out);
void PrintReached(const Reached& reached, std::ostream& out);
// What was found, where, the last entries, how to repeat it. Requires: something was found.
void PrintViolation(const RunResult& result, std::ostream& out);

nlohmann::ordered_json JsonOf(const RunResult& result);
nlohmann::ordered_json JsonOf(const Reached& reached);

}  // namespace holdfast::simulation
