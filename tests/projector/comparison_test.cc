// A comparison names what differs, and nothing that is only on its way.

#include "pool/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/projector/projected_story.h"

namespace holdfast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Compared : ProjectedStory {
  Compared() {
    Import(Items(1, 3));
    Active("w1");
    Import(Items(4, 5));
    Project();
  }

  std::string TextOf(std::uint32_t address) const { return state().pool().address(AddressKey(address)).text; }
  pool::AddressRow RowOfAddress(std::uint32_t address) {
    for (pool::AddressRow& row : StoredAddresses()) {
      if (row.id == TextOf(address)) return row;
    }
    return {};
  }
  // Behind the projector's back, and without moving its position.
  void Tamper(const pool::Write& write) {
    pool::Batch batch;
    batch.log_id = state().run().log_id();
    batch.controller_epoch = pool::ControllerEpoch(state().run().controller_epoch());
    batch.follows = projector().status().applied;
    batch.upto = Next(batch.follows);
    batch.writes.push_back(write);
    batch.last_part = false;
    EXPECT_EQ(store().inner().Apply(std::vector{batch}, {})->verdict, pool::Verdict::kDone);
  }
};

TEST(Comparison, OfAStoreThatIsRightFindsNothing) {
  Compared story;
  EXPECT_THAT(story.Differences(), IsEmpty());
}

TEST(Comparison, NamesARowThatIsMissingAndOneThatIsTooMany) {
  Compared story;
  pool::AddressRow stranger;
  stranger.id = "203.0.113.9:1";
  story.Tamper(pool::AddressWrite{stranger, "", ""});
  story.Tamper(pool::ProxyRemoval{IdOf(4)});

  EXPECT_THAT(story.Differences(), ElementsAre("203.0.113.9:1 row: none / there", IdOf(4) + " row: there / none"));
}

TEST(Comparison, NamesTheFieldThatDiffers) {
  Compared story;
  pool::AddressRow row = story.RowOfAddress(1);
  row.owner = "w9";
  story.Tamper(pool::AddressWrite{row, "w1", ""});

  EXPECT_THAT(story.Differences(),
              ElementsAre(row.id + " owner: w1 / w9", row.id + " index: w1 / w9", row.id + " index: w1 / none"));
}

TEST(Comparison, DoesNotNameWhatIsOnItsWay) {
  Compared story;
  story.Import(Items(6, 9));
  story.Remove({IdOf(4)});
  story.Settle();
  story.Follow();

  EXPECT_THAT(story.Differences(), IsEmpty());
}

}  // namespace
}  // namespace holdfast::testing
