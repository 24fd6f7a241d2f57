// Over 200 seeds everything comes about that the simulated world can give: every event, input, refusal, edge, fault and
// operation.

#include <gtest/gtest.h>

#include "tests/simulation/run/coverage.h"
#include "tests/simulation/run/report.h"

namespace holdfast::simulation {
namespace {

constexpr std::uint64_t kFirstSeed = 1'001, kSeeds = 200, kSteps = 900;

TEST(Coverage, TwoHundredSeedsReachEverythingThatCanBeReached) {
  Reached reached;
  for (std::uint64_t i = 0; i < kSeeds; ++i) {
    RunOptions options;
    options.seed = kFirstSeed + i;
    options.steps = kSteps;
    options.verify = false;
    const RunResult result = Simulation(options).Run();
    ASSERT_FALSE(result.violation) << result.violation->checker << ": " << result.violation->text
                                   << "\nrepeat it: " << RepeatCommand(options);
    reached.Add(result.reached);
  }

  for (const std::string& missing : MissingFrom(reached)) ADD_FAILURE() << missing;
}

}  // namespace
}  // namespace holdfast::simulation
