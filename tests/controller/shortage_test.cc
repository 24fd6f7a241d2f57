// What a client lacks is asked back from workers, and kept for it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/client_fixture.h"

namespace holdfast {
namespace {

using namespace testing;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::size_t AskedBack(const Decision& decision) {
  std::size_t addresses = 0;
  for (const OwnershipRevoked& revoked : EventsOf<OwnershipRevoked>(decision)) {
    EXPECT_EQ(revoked.reason, RevokeReason::kReclaim);
    addresses += revoked.addresses.size();
  }
  return addresses;
}

// Everything is granted, to w1 more than to w2.
struct Granted : ClientStory {
  Worker first, second;
  Granted() {
    Import(Items(1, 6));
    first = Active("w1");
    Import(Items(7, 8));
    second = Active("w2");
  }
  void Live(Duration duration) {
    AdvanceInSteps(duration, seconds(1), [&] {
      for (Worker* worker : {&first, &second}) {
        if (SnapshotsOf(worker->id).outstanding.value() != 0) Ack(*worker);
        Story::Report(*worker);
      }
    });
  }
};

TEST(Shortage, AsManyAsLackAreAskedBackFromWhoCarriesMost) {
  Granted story;
  const std::size_t most = story.state().ownership().holder(story.Key("w1")).owned.size();
  ASSERT_GT(most, story.state().ownership().holder(story.Key("w2")).owned.size());

  const Decision refused = Ask(story, "c1", "r1", 2, [](auto& request) { request.set_all_or_nothing(true); });

  EXPECT_EQ(ReasonOf(refused), RejectReason::kNotEnoughProxies);
  EXPECT_EQ(AskedBack(refused), 2u);
  EXPECT_EQ(EventsOf<OwnershipRevoked>(refused).at(0).worker_id.value(), "w1");
  EXPECT_EQ(EventsOf<OwnershipRevoked>(refused).at(0).principal, "loopback");
  EXPECT_EQ(EventsOf<ShortageNoted>(refused).at(0).lacking, 2u);
}

TEST(Shortage, WhatCameBackIsKeptForTheClientThatAsksAgain) {
  Granted story;
  Ask(story, "c1", "r1", 2);

  story.Live(seconds(20));
  const auto answer = Extracts(story, "c1", "r1", 2);

  EXPECT_THAT(answer.proxies(), SizeIs(2));
  EXPECT_EQ(story.state().extractions().lacking(), 0u);
}

TEST(Shortage, AskedAgainNothingIsAskedBackTwice) {
  Granted story;
  Ask(story, "c1", "r1", 2);
  story.Advance(seconds(2));

  const Decision again = Ask(story, "c1", "r1", 2);

  EXPECT_EQ(AskedBack(again), 0u);
  EXPECT_THAT(EventsOf<ShortageNoted>(again), IsEmpty());
}

TEST(Shortage, OfALateAnswerThePartThatLacksIsAskedBackAsWell) {
  Granted story;
  story.Import(Items(9, 9));

  const Decision asked = Ask(story, "c1", "r1", 3);

  EXPECT_THAT(EventsOf<ExtractionPrepared>(asked), SizeIs(1));
  EXPECT_EQ(AskedBack(asked), 2u);
}

TEST(Shortage, OnlyWhatWouldFitIsAskedBack) {
  Granted story;

  const Decision refused =
      Ask(story, "c1", "r1", 2, [](auto& request) { (*request.mutable_labels())["country"] = "nowhere"; });

  EXPECT_EQ(AskedBack(refused), 0u);
  EXPECT_THAT(EventsOf<ShortageNoted>(refused), IsEmpty());
}

TEST(Shortage, WhatNobodyAsksForAgainGoesBackToWorkers) {
  Granted story;
  Ask(story, "c1", "r1", 2);

  story.Live(seconds(80));
  EXPECT_EQ(story.state().ownership().placeable_addresses(), 2u);
  story.Live(seconds(15));

  EXPECT_EQ(story.state().ownership().placeable_addresses(), 0u);
  EXPECT_EQ(story.state().extractions().lacking(), 0u);
}

}  // namespace
}  // namespace holdfast
