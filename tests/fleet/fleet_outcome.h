// A run of the fleet within a test: how it ended, and what it said.

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/fleet/fleet_options.h"

namespace holdfast::fleet {

struct Outcome {
  int exit = -1;
  std::string out;
  std::string errors;
  nlohmann::json said;                  // null without FleetOptions::json
  std::vector<std::string> violations;  // their kinds, of what was said
};

// On the machine's clock. Captures what is written meanwhile: one at a time.
Outcome RunFleet(const FleetOptions& options);

}  // namespace holdfast::fleet
