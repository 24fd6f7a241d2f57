// Fixed seeds, each a world of its own: nothing is found wanting.

#include <gtest/gtest.h>

#include "tests/simulation/run/report.h"

namespace holdfast::simulation {
namespace {

constexpr std::uint64_t kGroups = 8, kSeedsOfAGroup = 5, kStepsOfASeed = 1'500;

class FixedSeeds : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(FixedSeeds, AreSound) {
  for (std::uint64_t i = 1; i <= kSeedsOfAGroup; ++i) {
    RunOptions options;
    options.seed = GetParam() * kSeedsOfAGroup + i;
    options.steps = kStepsOfASeed;
    const RunResult result = Simulation(options).Run();
    ASSERT_FALSE(result.violation) << result.violation->checker << ": " << result.violation->text
                                   << "\nrepeat it: " << RepeatCommand(options);
    // A run that judged nothing proves nothing.
    for (const char* what : {"updates", "answers", "calls predicted", "uses"}) {
      EXPECT_GT(result.reached.count("judged", what), 0u) << what << ", seed " << options.seed;
    }
    if (result.reached.count("event", "checker_opened") == 0) continue;  // nobody checks in this world
    for (const char* what : {"checkers' calls predicted", "observations", "changes of health"}) {
      EXPECT_GT(result.reached.count("judged", what), 0u) << what << ", seed " << options.seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Simulation, FixedSeeds, ::testing::Range<std::uint64_t>(0, kGroups));

}  // namespace
}  // namespace holdfast::simulation
