#include "tests/fleet/fleet_outcome.h"

#include <gtest/gtest.h>

#include "base/boot_clock.h"
#include "base/random.h"
#include "tools/fleet/fleet.h"

namespace holdfast::fleet {

Outcome RunFleet(const FleetOptions& options) {
  const auto clock = SystemBootClock();
  const auto random = SystemRandomSource();
  Outcome outcome;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  outcome.exit = Fleet(options, **clock, *random).Run();
  outcome.errors = ::testing::internal::GetCapturedStderr();
  outcome.out = ::testing::internal::GetCapturedStdout();
  if (!options.json) return outcome;
  outcome.said = nlohmann::json::parse(outcome.out);
  for (const auto& violation : outcome.said["violations"]) outcome.violations.push_back(violation["kind"]);
  return outcome;
}

}  // namespace holdfast::fleet
