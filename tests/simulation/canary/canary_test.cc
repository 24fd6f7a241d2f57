// Each planted fault is caught within its number of seeds: a checker that cannot fail is none. plant.py has the table.

#include <gtest/gtest.h>

#include <string>

#include "tests/simulation/canary/planted.h"
#include "tests/simulation/run/simulation.h"

namespace holdfast::simulation {
namespace {

constexpr std::uint64_t kSteps = 1'500;

struct PlantedRow {
  const char* name;
  const char* breaks;
  std::uint64_t seeds;
  bool placed;
};

constexpr PlantedRow kPlanted[] = {
#include "planted_table.h"
};

RunResult RunSeed(std::uint64_t seed) {
  RunOptions options;
  options.seed = seed;
  options.steps = kSteps;
  return Simulation(options).Run();
}

class Canary : public ::testing::TestWithParam<PlantedRow> {};

TEST_P(Canary, IsCaughtWithinItsSeeds) {
  const PlantedRow& planted = GetParam();
  ASSERT_TRUE(planted.placed) << planted.name << ": its place in the source is no longer found; renew it in plant.py";
  PlantedFault() = planted.name;
  std::uint64_t seed = 1;
  RunResult result = RunSeed(seed);
  while (!result.violation && seed < planted.seeds) result = RunSeed(++seed);
  PlantedFault() = "";

  ASSERT_TRUE(result.violation) << planted.breaks << ": not caught in " << planted.seeds << " seeds";
  RecordProperty("seed", static_cast<int>(seed));
  std::cout << planted.breaks << ": caught at seed " << seed << ", step " << result.steps_done << ", by "
            << result.violation->checker << "\n  " << result.violation->text.substr(0, 300) << "\n";
}

INSTANTIATE_TEST_SUITE_P(Planted, Canary, ::testing::ValuesIn(kPlanted),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(CanaryControl, WithoutAFaultTheSameProgramIsSound) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const RunResult result = RunSeed(seed);
    EXPECT_FALSE(result.violation) << "seed " << seed << ": " << result.violation->text;
  }
}

}  // namespace
}  // namespace holdfast::simulation
