// usable_until and expires_at: per proxy, and what they mean for the machine that it stands on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/import_items.h"

namespace holdfast::testing {
namespace {

using ::testing::IsEmpty;

TEST(Expiry, PastUsableUntilTheMachineIsAskedBackAndAtItsEndForgotten) {
  Story story;
  story.Import({Item(1, [](WireProxy& item) { *item.mutable_expires_at() = Time(kStart + seconds(100)); })});
  Worker worker = story.Active("w1");

  const auto live = [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(worker);
    story.Report(worker);
  };
  story.AdvanceInSteps(seconds(39), seconds(1), live);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  story.AdvanceInSteps(seconds(1), seconds(1), live);
  EXPECT_EQ(story.HoldOf(IdOf(1)).revoke_reason, RevokeReason::kExpiry);
  EXPECT_EQ(story.View("w1").at(IdOf(1)).state, GrantState::kDraining);
  story.AdvanceInSteps(seconds(2), seconds(1), live);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);  // proven
  EXPECT_THAT(story.View("w1"), IsEmpty());
  story.AdvanceInSteps(seconds(80), seconds(1), live);

  EXPECT_EQ(story.state().pool().proxies().size(), 0u);
  EXPECT_EQ(story.state().pool().addresses().size(), 0u);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(Expiry, OfTwoProxiesOnOneMachineOnlyTheConcernedOneLeaves) {
  Story story;
  story.Import({Item(1, [](WireProxy& item) { *item.mutable_expires_at() = Time(kStart + seconds(100)); }), Socks(1)});
  Worker worker = story.Active("w1");

  story.AdvanceInSteps(seconds(40), seconds(1), [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(worker);
    story.Report(worker);
  });

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  EXPECT_EQ(story.View("w1").at(IdOf(1)).state, GrantState::kDraining);
  EXPECT_EQ(story.View("w1").at("socks5://198.18.0.1:8080").state, GrantState::kActive);
  story.AdvanceInSteps(seconds(60), seconds(1), [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(worker);
    story.Report(worker);
  });
  EXPECT_EQ(story.View("w1").size(), 1u);  // to its own end at the longest
}

TEST(Expiry, AnUnheldProxyLeavesThePoolAtItsEnd) {
  Story story;
  story.Import({Item(1, [](WireProxy& item) { *item.mutable_expires_at() = Time(kStart + seconds(100)); })});

  story.Advance(seconds(100) - Duration(1));
  story.TickOwnership();
  EXPECT_EQ(story.state().pool().proxies().size(), 1u);
  story.Advance(Duration(1));
  story.TickOwnership();

  EXPECT_EQ(story.state().pool().proxies().size(), 0u);
}

TEST(Expiry, AHeldOneIsExpiredAndLeavesWithItsHold) {
  Settings settings = Trusting();
  settings.allocation_safety_margin = Duration(0);
  Story story(settings);
  story.Import({Item(1, [](WireProxy& item) { *item.mutable_expires_at() = Time(kStart + seconds(5)); })});
  story.Active("w1");

  story.Advance(seconds(5));
  story.Settle();

  EXPECT_EQ(ProxyRowOf(story, IdOf(1)).state, PoolState::kExpired);
  EXPECT_TRUE(story.HoldOf(IdOf(1)).revoked());
  EXPECT_EQ(story.OwnedUntil(IdOf(1)), kStart + seconds(15));  // what was shown: until its end, and the grace
  story.Advance(seconds(10));
  story.Settle();
  EXPECT_EQ(story.state().pool().proxies().size(), 0u);
}

// A tick ends a bounded number of proxies, so one whose two ends are close may be found by the later one first.
TEST(Expiry, AMachineIsAskedBackWhicheverOfItsEndsIsFoundFirst) {
  Settings settings = WithoutReserve();
  settings.allocation_safety_margin = seconds(10);
  settings.session_ttl = hours(1);
  Story story(settings);
  const auto ends_after = [](int time) {
    return [time](WireProxy& item) { *item.mutable_expires_at() = Time(kStart + seconds(time)); };
  };
  story.Import({Item(1, ends_after(20))});  // usable until the tenth second
  std::vector<WireProxy> others;
  for (std::uint32_t port = 1; port <= 255; ++port) {
    others.push_back(Item(2, ends_after(25)));
    others.back().mutable_endpoint()->set_port(port);
  }
  story.Import(others);
  settings.allocation_safety_margin = Duration(0);
  story.ChangeSettings(settings);
  story.Restart(true, seconds(1));
  story.Import({Item(3, ends_after(21))});
  story.Active("w1");
  ASSERT_EQ(story.OwnershipOf(IdOf(3)), OwnershipState::kGranted);

  story.Advance(seconds(21));
  story.TickOwnership();

  EXPECT_TRUE(story.HoldOf(IdOf(3)).revoked());
}

TEST(Expiry, AnExpiredProxyThatIsNamedAgainComesBackAsItWouldBeImported) {
  for (const bool trust : {true, false}) {
    for (const bool explicit_end : {true, false}) {
      Settings settings = Trusting();
      settings.allocation_safety_margin = Duration(0);
      Story story(settings);
      story.Import({Item(1, [](WireProxy& item) { *item.mutable_expires_at() = Time(kStart + seconds(5)); })});
      story.Active("w1");
      settings.trust_unchecked = trust;
      story.ChangeSettings(settings);
      story.Restart(true, seconds(5));
      story.TickOwnership();
      ASSERT_EQ(ProxyRowOf(story, IdOf(1)).state, PoolState::kExpired);

      story.Import({Item(1, [&](WireProxy& item) {
        if (explicit_end) *item.mutable_expires_at() = Time(kStart + hours(1));
      })});

      const PoolState expected = trust ? PoolState::kAvailable : PoolState::kPending;
      EXPECT_EQ(ProxyRowOf(story, IdOf(1)).state, expected);
      EXPECT_EQ(story.HoldOf(IdOf(1)).proxies[0].state, expected);
      EXPECT_TRUE(ProxyRowOf(story, IdOf(1)).usable);
    }
  }
}

}  // namespace
}  // namespace holdfast::testing
