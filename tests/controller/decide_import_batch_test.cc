// Imports: what a batch sees of itself, changed endpoints, addresses that are held.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/import_items.h"

namespace holdfast::testing {
namespace {

using admin::v1::ImportProxiesResponse;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DecideImport, ABatchSeesItself) {
  Story story;

  const ImportProxiesResponse reply = story.Import({
      Item(1),                                                       // added
      Item(1),                                                       // the same: unchanged
      Item(1, [](WireProxy& item) { item.set_capacity(5); }),        // updated from the first
      Item(1, [](WireProxy& item) { item.set_proxy_id("other"); }),  // a second id for it
      Item(2, [](WireProxy& item) { item.set_proxy_id(IdOf(1)); }),  // the same id, another endpoint
      Item(3, [](WireProxy& item) { item.set_proxy_id("three"); }),  // added
  });

  EXPECT_EQ(Counts(reply), (std::vector<std::uint64_t>{2, 1, 1, 2}));
  EXPECT_EQ(reply.rejections(0).reason(), admin::v1::IMPORT_REASON_DUPLICATE_ENDPOINT);
  EXPECT_EQ(reply.rejections(1).reason(), admin::v1::IMPORT_REASON_MALFORMED);
  EXPECT_THAT(NamesOf(story.last()), ElementsAre("proxy_added", "proxy_updated", "proxy_added"));
  EXPECT_EQ(ProxyRowOf(story, IdOf(1)).spec->capacity, 5u);
}

TEST(DecideImport, KeysAreAssignedInTheOrderOfTheBatch) {
  Story story;
  story.Import(Items(1, 2));

  story.Import({Item(9), Socks(9), Item(4)});

  const auto added = EventsOf<ProxyAdded>(story.last());
  EXPECT_EQ(added[0].proxy.value(), 3u);
  EXPECT_EQ(added[1].proxy.value(), 4u);
  EXPECT_EQ(added[2].proxy.value(), 5u);
  EXPECT_EQ(added[0].address.value(), 3u);
  EXPECT_EQ(added[2].address.value(), 4u);
}

TEST(DecideImport, ARenewalAfterADeadlineInOneBatchRenews) {
  Story story;
  const auto fixed = [](WireProxy& item) { *item.mutable_expires_at() = Time(kStart + hours(3)); };

  story.Import({Item(1, fixed), Item(1)});

  EXPECT_EQ(ProxyRowOf(story, IdOf(1)).expires_at, kStart + hours(24));
}

TEST(DecideImport, ADeadlineAfterARenewalInOneBatchIsTheOneThatStands) {
  Story story;
  story.Import({Item(1)});
  story.Advance(hours(1));
  const auto fixed = [](WireProxy& item) { *item.mutable_expires_at() = Time(kStart + hours(3)); };

  story.Import({Item(1), Item(1, fixed)});

  EXPECT_EQ(ProxyRowOf(story, IdOf(1)).expires_at, kStart + hours(3));
}

TEST(DecideImport, AChangedEndpointIsNeverEditedInPlace) {
  Story story;
  story.Import({Named("p", 1)});

  const ImportProxiesResponse reply = story.Import({Named("p", 2)});

  EXPECT_EQ(Counts(reply), (std::vector<std::uint64_t>{0, 1, 0, 0}));
  EXPECT_THAT(NamesOf(story.last()), ElementsAre("proxy_removed", "proxy_added", "address_retired"));
  EXPECT_EQ(EventsOf<ProxyRemoved>(story.last())[0].reason, RemovalReason::kEndpointChanged);
  EXPECT_EQ(story.state().pool().FindProxy("p").value(), 2u);
}

TEST(DecideImport, AChangedEndpointOfAHeldProxyIsARevokeAndANewGrant) {
  Story story;
  story.Import({Named("p", 1)});
  Worker worker = story.Active("w1");
  ASSERT_EQ(story.View("w1").size(), 1u);

  story.Import({Named("p", 2)});

  const AddressKey old = story.state().pool().FindAddress("198.18.0.1:8080");
  EXPECT_EQ(story.state().ownership().hold(old).lapse_cause, LapseCause::kRevoked);
  EXPECT_EQ(EventsOf<OwnershipLapsing>(story.last())[0].revoke_reason, RevokeReason::kEndpointChanged);
  story.Settle();
  story.Drink(worker);
  EXPECT_THAT(story.View("w1"), IsEmpty());
  EXPECT_THAT(story.faults(), IsEmpty());
}

// Workers keep their bounds by id: listed at the new endpoint at once, it would keep alive what runs through the old
// one.
TEST(DecideImport, AMovedIdIsGivenAnewWhenItsOldEndpointIsNobodysAnyMore) {
  Story story;
  story.Import({Named("p", 1)});
  Worker worker = story.Active("w1");
  story.Import({Named("p", 2)});
  const LogTime end = story.state().ownership().hold(story.state().pool().FindAddress("198.18.0.1:8080")).window_floor;
  const auto live = [&] {
    story.Settle();
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(worker);
    story.Report(worker);
  };

  story.AdvanceInSteps(end - story.now() - Duration(1), seconds(1), live);
  EXPECT_EQ(story.OwnerOf("p"), "");
  story.Import({Named("p", 3)});  // moved on while it waits: it still waits for the first
  story.Remove({"p"});
  EXPECT_EQ(story.state().pool().FindProxy("p").value(), 0u);
  story.Import({Named("p", 4)});  // also when it was gone in between
  live();
  EXPECT_EQ(story.OwnerOf("p"), "");
  story.Advance(Duration(1));
  live();
  live();

  EXPECT_EQ(story.View("w1").at("p").spec->endpoint.host, "198.18.0.4");
}

// Found by simulation: the tunnel at the old endpoint is counted under the id at its new one, so a report that is
// silent about the old machine's other proxy proves nothing.
TEST(DecideImport, AnEndpointThatChangesWhileItsSessionIsOverIsNotTakenAgain) {
  Story story;
  story.Import({Named("p", 1)});
  Worker worker = story.Active("w1");
  story.Report(worker, {{"p", 1, 0}});
  story.Import({Item(1, [](WireProxy& item) {
    item.set_proxy_id("q");
    item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5);
  })});
  story.Restart(/*same_boot=*/false, seconds(1));
  story.Import({Named("p", 2)});

  worker = story.Reconnect(worker);
  story.Watch(worker);
  story.Drink(worker);

  EXPECT_EQ(story.OwnershipOf("q"), OwnershipState::kLapsing);
  EXPECT_EQ(story.HoldOf("q").lapse_cause, LapseCause::kRevoked);
  EXPECT_FALSE(story.View("w1").contains("q"));
}

TEST(DecideImport, AChangedReferenceIsAnotherMachine) {
  Story story;
  story.Import({Named("p", 1)});

  story.Import({Item(1, [](WireProxy& item) {
    item.set_proxy_id("p");
    item.set_secret_ref("account-1");
  })});

  EXPECT_EQ(story.state().pool().FindAddress("198.18.0.1:8080").value(), 0u);
  EXPECT_NE(story.state().pool().FindAddress("account-1@198.18.0.1:8080").value(), 0u);
}

TEST(DecideImport, AChangedSchemeAsksTheMachineBackAndStaysOnIt) {
  Story story;
  story.Import({Named("p", 1)});
  story.Active("w1");

  story.Import({Item(1, [](WireProxy& item) {
    item.set_proxy_id("p");
    item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5);
  })});

  EXPECT_EQ(story.HoldOf("p").lapse_cause, LapseCause::kRevoked);
  EXPECT_EQ(story.HoldOf("p").proxies.size(), 1u);
}

TEST(DecideImport, AnItemMayTakeThePlaceOfOneThatLeftInTheSameBatch) {
  Story story;
  story.Import({Named("p", 1)});

  const ImportProxiesResponse reply = story.Import({Named("p", 2), Named("q", 1)});

  EXPECT_EQ(Counts(reply), (std::vector<std::uint64_t>{1, 1, 0, 0}));
  EXPECT_THAT(EventsOf<AddressRetired>(story.last()), IsEmpty());
  EXPECT_EQ(story.state().pool().FindAddress("198.18.0.1:8080").value(), 1u);
}

TEST(DecideImport, AnEndpointThatAnotherIdHasIsADuplicateForAKnownIdToo) {
  Story story;
  story.Import({Named("p", 1), Named("q", 2)});

  const ImportProxiesResponse reply = story.Import({Named("p", 2)});

  EXPECT_EQ(reply.rejections(0).reason(), admin::v1::IMPORT_REASON_DUPLICATE_ENDPOINT);
  EXPECT_EQ(ProxyRowOf(story, "p").spec->endpoint.host, "198.18.0.1");
}

TEST(DecideImport, AnAddressThatIsStillHeldIsJoined) {
  Story story;
  story.Import({Item(1)});
  story.Active("w1");
  const AddressKey address = story.state().pool().FindAddress("198.18.0.1:8080");
  const LogTime owned_until = story.state().ownership().OwnedUntil(address);
  story.Import({Item(2, [](auto& item) { item.set_proxy_id(IdOf(1)); })});  // it moves, and its address lapses

  story.Import({Item(1, [](auto& item) { item.set_proxy_id("again"); })});

  const auto added = EventsOf<ProxyAdded>(story.last());
  EXPECT_FALSE(added[0].new_address);
  EXPECT_EQ(added[0].address, address);
  EXPECT_EQ(story.OwnershipOf("again"), OwnershipState::kLapsing);
  EXPECT_EQ(story.OwnedUntil("again"), owned_until);
  story.Active("w2");
  EXPECT_EQ(story.OwnerOf("again"), "w1");  // until its window is over
  EXPECT_THAT(story.faults(), IsEmpty());
}

}  // namespace
}  // namespace holdfast::testing
