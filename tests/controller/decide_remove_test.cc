// Removal, by name and by what a replacing import did not name: removal never ends a hold.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/import_items.h"

namespace holdfast::testing {
namespace {

using admin::v1::ImportProxiesResponse;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DecideRemoveUnnamed, WhatTheImportDidNotNameIsRemoved) {
  Story story;
  story.Import({Of("a", 1), Of("a", 2), Of("a", 3), Of("b", 4), Item(5)});
  story.Advance(hours(1));
  const std::uint64_t import = story.Import({Of("a", 2)}).log_sequence();
  story.Import({Of("a", 6)}, import, 1);

  const ImportProxiesResponse reply = story.RemoveUnnamed("a", import);

  EXPECT_EQ(reply.removed(), 2u);
  EXPECT_EQ(EventsOf<ProxyRemoved>(story.last())[0].reason, RemovalReason::kSourceReplaced);
  EXPECT_EQ(story.state().pool().FindProxy(IdOf(1)).value(), 0u);
  EXPECT_EQ(story.state().pool().FindProxy(IdOf(3)).value(), 0u);
  for (const int number : {2, 4, 5, 6}) EXPECT_NE(story.state().pool().FindProxy(IdOf(number)).value(), 0u) << number;
}

TEST(DecideRemoveUnnamed, ItIsBoundedAndRepeated) {
  Story story;
  std::vector<WireProxy> items;
  for (int number = 1; number <= 25; ++number) items.push_back(Of("a", number));
  story.Import(items);
  const std::uint64_t import = story.Import({Of("a", 200)}).log_sequence();

  EXPECT_EQ(story.RemoveUnnamed("a", import, 10).removed(), 10u);
  EXPECT_EQ(story.RemoveUnnamed("a", import, 10).removed(), 10u);
  EXPECT_EQ(story.RemoveUnnamed("a", import, 10).removed(), 5u);
  EXPECT_EQ(story.RemoveUnnamed("a", import, 10).removed(), 0u);
}

TEST(DecideRemoveUnnamed, AnItemThatWasRejectedButHasAnIdentityCountsAsNamed) {
  Story story;
  story.Import({Of("a", 1), Of("a", 2), Of("a", 3)});
  const auto expired = [](WireProxy& item) {
    item.set_source("a");
    *item.mutable_expires_at() = Time(kStart);
  };

  // The first by its canonical URL, the second by the id that it names, the third not at all.
  const ImportProxiesResponse import = story.Import({Item(1, expired), Item(2, [](WireProxy& item) {
                                                       item.set_proxy_id(IdOf(2));
                                                       item.mutable_endpoint()->set_port(0);
                                                     })});

  EXPECT_EQ(import.rejected(), 2u);
  EXPECT_EQ(story.RemoveUnnamed("a", import.log_sequence()).removed(), 1u);
  EXPECT_NE(story.state().pool().FindProxy(IdOf(1)).value(), 0u);
  EXPECT_NE(story.state().pool().FindProxy(IdOf(2)).value(), 0u);
  EXPECT_EQ(story.state().pool().FindProxy(IdOf(3)).value(), 0u);
}

TEST(DecideRemoveUnnamed, ARejectedItemOfAProxyThatMovesInTheSameBatchIsNoTrouble) {
  Story story;
  story.Import({Named("p", 1)});

  const ImportProxiesResponse reply = story.Import({Item(1,
                                                         [](WireProxy& item) {
                                                           item.set_proxy_id("p");
                                                           *item.mutable_expires_at() = Time(kStart);
                                                         }),
                                                    Named("p", 2)});

  EXPECT_EQ(reply.rejected(), 1u);
  EXPECT_EQ(reply.updated(), 1u);
}

TEST(DecideRemove, WhatNobodyHoldsIsGoneAtOnce) {
  Story story;
  story.Import({Item(1), Item(2), Socks(2)});

  const admin::v1::RemoveProxiesResponse reply = story.Remove({IdOf(1), IdOf(2), "nowhere", IdOf(1)});

  EXPECT_EQ(reply.removed(), 2u);
  EXPECT_EQ(reply.draining(), 0u);
  EXPECT_THAT(reply.unknown_proxy_ids(), ElementsAre("nowhere"));
  EXPECT_THAT(NamesOf(story.last()), ElementsAre("proxy_removed", "proxy_removed", "address_retired"));
}

TEST(DecideRemove, WhatIsHeldIsAskedBackAndItsAddressStaysUntilTheWindowEnds) {
  Story story;
  story.Import({Item(1)});
  Worker worker = story.Active("w1");
  const AddressKey address = story.state().pool().FindAddress("198.18.0.1:8080");

  const admin::v1::RemoveProxiesResponse reply = story.Remove({IdOf(1)});

  EXPECT_EQ(reply.draining(), 1u);
  EXPECT_THAT(NamesOf(story.last()), ElementsAre("proxy_leaving", "ownership_revoked"));
  EXPECT_EQ(EventsOf<OwnershipRevoked>(story.last())[0].reason, RevokeReason::kRemoval);
  story.Drink(worker);
  EXPECT_EQ(story.View("w1").at(IdOf(1)).state, GrantState::kDraining);
  story.AdvanceInSteps(seconds(40), seconds(1));
  EXPECT_EQ(story.state().pool().addresses().Find(address), nullptr);
}

TEST(DecideRemove, OfTwoProxiesOnOneMachineTheOtherStaysGranted) {
  Story story;
  story.Import({Item(1), Socks(1)});
  Worker worker = story.Active("w1");

  const admin::v1::RemoveProxiesResponse reply = story.Remove({IdOf(1)});
  story.Drink(worker);

  EXPECT_EQ(reply.draining(), 1u);
  EXPECT_EQ(story.OwnershipOf("socks5://198.18.0.1:8080"), OwnershipState::kGranted);
  EXPECT_EQ(story.View("w1").at(IdOf(1)).state, GrantState::kDraining);
  EXPECT_EQ(story.View("w1").at("socks5://198.18.0.1:8080").state, GrantState::kActive);
  story.Remove({"socks5://198.18.0.1:8080"});  // now nothing is left
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideRemove, AnAddressThatLapsesBecauseItsSessionEndedIsForgottenWithItsWindow) {
  Story story;
  story.Import({Item(1)});
  Worker worker = story.Active("w1");
  story.Advance(seconds(15));
  story.Settle();
  story.Remove({IdOf(1)});

  worker = story.Reconnect(worker);
  story.Watch(worker);
  story.Drink(worker);
  EXPECT_THAT(story.View("w1"), IsEmpty());
  story.Advance(seconds(60));
  story.Settle();

  EXPECT_EQ(story.state().pool().addresses().size(), 0u);
  EXPECT_THAT(story.faults(), IsEmpty());
}

}  // namespace
}  // namespace holdfast::testing
