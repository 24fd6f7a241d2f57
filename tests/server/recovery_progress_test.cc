// How often a recovery tells how far it is.

#include "server/recovery_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/server/manual_sources.h"

namespace holdfast::server {
namespace {

using ::testing::ElementsAre;

TEST(RecoveryProgress, TellsOnceASecondHoweverManyBlocksThereAre) {
  ManualClocks clocks;
  std::vector<std::uint64_t> told;
  RecoveryProgress progress(clocks.boot(), [&](Sequence folded) { told.push_back(folded.value()); });

  for (std::uint64_t block = 1; block <= 25; ++block) {
    clocks.Advance(100'000);
    progress(Sequence(block * 10));
  }

  EXPECT_THAT(told, ElementsAre(100, 200));
}

}  // namespace
}  // namespace holdfast::server
