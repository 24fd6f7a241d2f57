// The same seed gives the same log, byte for byte, and another seed another one.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/simulation/run/simulation.h"

namespace holdfast::simulation {
namespace {

struct Written {
  std::vector<std::string> blocks;
  RunResult result;
};

Written RunSeed(std::uint64_t seed) {
  RunOptions options;
  options.seed = seed;
  options.steps = 1'000;
  Simulation simulation(options);
  Written written;
  written.result = simulation.Run();
  const auto reader = simulation.disk().log().NewReader(Sequence());
  EXPECT_TRUE(reader.ok());
  while (true) {
    const auto block = (*reader)->Next();
    EXPECT_TRUE(block.ok());
    if (!block.ok() || !block->has_value()) break;
    written.blocks.push_back((*block)->block + (*block)->bulk);
  }
  return written;
}

TEST(Determinism, TheSameSeedTwiceGivesTheSameBytes) {
  for (const std::uint64_t seed : {11u, 12u, 13u}) {
    const Written once = RunSeed(seed);
    const Written again = RunSeed(seed);
    ASSERT_GT(once.blocks.size(), 100u);
    ASSERT_EQ(once.blocks.size(), again.blocks.size());
    for (std::size_t i = 0; i < once.blocks.size(); ++i)
      ASSERT_TRUE(once.blocks[i] == again.blocks[i]) << "block " << i;
    EXPECT_EQ(once.result.reached.counts(), again.result.reached.counts());
    EXPECT_EQ(once.result.simulated, again.result.simulated);
  }
}

TEST(Determinism, AnotherSeedGivesAnotherWorld) {
  EXPECT_NE(RunSeed(14).result.chain_hash, RunSeed(15).result.chain_hash);
}

}  // namespace
}  // namespace holdfast::simulation
