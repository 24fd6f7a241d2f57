// Placement: who is given what is free, and who is not. ownership.md "Placement".

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {
namespace {

using controlplane::v1::RegisterWorkerRequest;
using ::testing::IsEmpty;

std::size_t Owned(const Story& story, const std::string& worker) {
  return story.state().ownership().holder(story.Key(worker)).owned.size();
}

TEST(Placement, GoesToTheLeastLoadedForItsWeight) {
  Story story;
  story.Active("w1", [](RegisterWorkerRequest& request) { request.set_weight(1); });
  story.Active("w2", [](RegisterWorkerRequest& request) { request.set_weight(3); });

  story.Import(Items(1, 40));
  story.Settle();

  EXPECT_EQ(Owned(story, "w1"), 10u);
  EXPECT_EQ(Owned(story, "w2"), 30u);
}

TEST(Placement, OfEquallyLoadedWorkersTheFirstByIdIsTaken) {
  Story story;
  story.Active("wb");
  story.Active("wa");

  story.Import(Items(1, 1));
  story.Settle();

  EXPECT_EQ(story.OwnerOf(IdOf(1)), "wa");
}

TEST(Placement, GoesBackToItsLastOwnerWhereItCan) {
  Story story;
  Worker last = story.Active("wz");
  story.Import(Items(1, 4));
  story.Drink(last);
  story.Active("wa");
  story.Advance(seconds(2));
  Worker again = story.Register("wz", "i2");
  story.Watch(again);

  story.AdvanceInSteps(seconds(41), seconds(1), [&] {
    if (story.SnapshotsOf("wz").outstanding.value() != 0) story.Ack(again);
    story.Report(again);
  });

  EXPECT_EQ(Owned(story, "wz"), 4u);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(Placement, StopsAtTheMostThatAWorkerTakes) {
  Story story;
  story.Active("w1", [](RegisterWorkerRequest& request) { request.set_max_proxies(3); });
  story.Active("w2", [](RegisterWorkerRequest& request) { request.set_max_proxies(0); });

  story.Import(Items(1, 9));
  story.Settle();

  EXPECT_EQ(Owned(story, "w1"), 3u);
  EXPECT_EQ(Owned(story, "w2"), 0u);
}

TEST(Placement, AMachineWithTwoSchemesNeedsRoomForBoth) {
  Story story;
  story.Active("w1", [](RegisterWorkerRequest& request) { request.set_max_proxies(3); });
  std::vector<admin::v1::ProxySpec> items = Items(1, 2);
  for (int number : {1, 2}) {
    items.push_back(
        Item(number, [](auto& item) { item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5); }));
  }

  story.Import(items);
  story.Settle();

  EXPECT_EQ(Owned(story, "w1"), 1u);
}

TEST(Placement, AWorkerOfNoWeightGetsNothing) {
  Story story;
  story.Active("w1", [](RegisterWorkerRequest& request) { request.set_weight(0); });

  story.Import(Items(1, 1));
  story.Settle();

  EXPECT_EQ(story.OwnerOf(IdOf(1)), "");
}

TEST(Placement, OnlyActiveAttachedUnfencedWorkersAreGivenMore) {
  Story story;
  Worker fenced = story.Active("w1");
  Worker detached = story.Active("w2");
  story.Register("w3");
  Worker draining = story.Active("w4");
  story.Import(Items(1, 8));
  story.Settle();
  story.Drink(draining);
  ASSERT_GT(Owned(story, "w4"), 0u);
  story.Nack(fenced);
  story.StreamEnds(detached);
  story.Report(draining, {}, true);

  story.Import(Items(20, 24));
  story.Settle();

  for (int number = 20; number <= 24; ++number) EXPECT_EQ(story.OwnerOf(IdOf(number)), "") << number;
}

TEST(Placement, WithoutTrustWhatIsNotCheckedIsNotGiven) {
  Settings settings = Trusting();
  settings.trust_unchecked = false;
  Story story(settings);
  story.Active("w1");

  story.Import(Items(1, 1));
  story.Settle();

  EXPECT_EQ(story.OwnerOf(IdOf(1)), "");
  EXPECT_EQ(story.state().pool().proxy(ProxyKey(1)).state, PoolState::kPending);
}

TEST(Placement, ManyAddressesAreGrantedInBoundedDecisions) {
  Settings settings = WithoutReserve();
  Story story(settings);
  story.Active("w1");
  std::vector<admin::v1::ProxySpec> items;
  for (int i = 0; i < 1500; ++i) {
    items.push_back(
        Item(1, [&](auto& item) { item.mutable_endpoint()->set_port(static_cast<std::uint32_t>(1000 + i)); }));
  }

  story.Import(items);
  story.Settle();

  EXPECT_EQ(Owned(story, "w1"), 1500u);
  for (const LoggedEntry& entry : story.entries()) EXPECT_LE(EventsOf<OwnershipGranted>(entry.events).size(), 512u);
}

}  // namespace
}  // namespace holdfast::testing
