// Windows, lapse, takeover. ownership.md: an address has at most one holder.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {
namespace {

using controlplane::v1::RegisterWorkerRequest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kMachine = "198.18.0.1:8080";

TEST(Windows, AGrantHoldsUntilValidityAndGraceEvenIfItIsNeverShown) {
  Story story;
  story.Active("w1");
  story.Import(Items(1, 1));
  story.Place();

  const auto granted = EventsOf<OwnershipGranted>(story.entries().back().events);
  ASSERT_EQ(granted.size(), 1u);
  EXPECT_EQ(granted[0].owned_until, kStart + seconds(40));
  EXPECT_EQ(granted[0].address_text, "198.18.0.1:8080");
  EXPECT_EQ(story.OwnedUntil(IdOf(1)), kStart + seconds(40));
}

TEST(Windows, AGrantOfAProxyThatEndsSoonerHoldsUntilThen) {
  Story story;
  story.Active("w1");
  story.Import({Item(1, [&](auto& item) { *item.mutable_expires_at() = Time(kStart + seconds(75)); })});
  story.Advance(seconds(14));
  story.Place();
  EXPECT_EQ(story.OwnedUntil(IdOf(1)), kStart + seconds(54));
}

TEST(Windows, EachUpdateMovesTheWindowOfAllThatItLeavesInPlace) {
  Story story;
  story.Import(Items(1, 2));
  Worker worker = story.Active("w1");
  EXPECT_EQ(story.OwnedUntil(IdOf(1)), kStart + seconds(40));

  story.AdvanceInSteps(seconds(10), seconds(1), [&] { story.Report(worker); });  // a renewal

  EXPECT_EQ(story.OwnedUntil(IdOf(1)), kStart + seconds(50));
  EXPECT_EQ(story.OwnedUntil(IdOf(1)), story.oracle().UsedUntil(kMachine, "w1", Epoch(worker.epoch)));
}

TEST(Windows, TheyEndWithTheProxyAtTheLatest) {
  Story story;
  story.Import({Item(1, [&](auto& item) { *item.mutable_expires_at() = Time(kStart + seconds(80)); })});
  Worker worker = story.Active("w1");
  story.AdvanceInSteps(seconds(19), seconds(1), [&] { story.Report(worker); });

  EXPECT_EQ(story.OwnedUntil(IdOf(1)), story.oracle().UsedUntil(kMachine, "w1", Epoch(worker.epoch)));
  EXPECT_LE(story.OwnedUntil(IdOf(1)), kStart + seconds(90));
}

TEST(Windows, OfTwoProxiesOnOneMachineTheOneThatLivesLongerCounts) {
  Story story;
  story.Import(
      {Item(1, [&](auto& item) { *item.mutable_expires_at() = Time(kStart + seconds(70)); }), Item(1, [&](auto& item) {
         item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5);
         *item.mutable_expires_at() = Time(kStart + hours(1));
       })});
  Worker worker = story.Active("w1");
  ASSERT_EQ(story.View("w1").size(), 2u);

  story.AdvanceInSteps(seconds(11), seconds(1), [&] { story.Report(worker); });
  story.Ack(worker);  // the first is past its usable_until and drains by itself

  EXPECT_EQ(story.View("w1").at(IdOf(1)).state, GrantState::kDraining);
  EXPECT_EQ(story.OwnershipOf("socks5://198.18.0.1:8080"), OwnershipState::kGranted);
  EXPECT_GE(story.OwnedUntil("socks5://198.18.0.1:8080"),
            story.oracle().UsedUntil(kMachine, "w1", Epoch(worker.epoch)));
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(Windows, AShortenedLifeDoesNotShrinkTheWindowThatWasGiven) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  const LogTime owned_until = story.OwnedUntil(IdOf(1));

  story.Import({Item(1, [&](auto& item) { *item.mutable_expires_at() = Time(kStart + seconds(61)); })});
  EXPECT_EQ(story.OwnedUntil(IdOf(1)), owned_until);
  story.AdvanceInSteps(seconds(20), seconds(1), [&] { story.Report(worker); });

  EXPECT_GE(story.OwnedUntil(IdOf(1)), story.oracle().UsedUntil(kMachine, "w1", Epoch(worker.epoch)));
}

TEST(Windows, WhatTheLatestUpdateDroppedKeepsTheWindowThatItHad) {
  Story story;
  story.Import(Items(1, 2));
  Worker worker = story.Active("w1");
  story.Advance(seconds(2));
  const AddressKey address = story.state().pool().FindAddress("198.18.0.1:8080");
  story.Import({Item(9, [](auto& item) { item.set_proxy_id(IdOf(1)); })});  // it moves: the old address leaves at once
  EXPECT_EQ(story.state().ownership().hold(address).state, OwnershipState::kLapsing);

  story.AdvanceInSteps(seconds(30), seconds(1), [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(worker);
    story.Report(worker);
  });

  EXPECT_EQ(story.state().ownership().OwnedUntil(address), kStart + seconds(40));  // its view's renewals do not move it
  EXPECT_GE(story.OwnedUntil(IdOf(2)), kStart + seconds(60));
}

TEST(Windows, OnceTheyArePassedTheAddressIsUnownedWhateverItsSessionShows) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.StreamEnds(worker);  // alive, reporting, without a stream

  story.AdvanceInSteps(seconds(40) - Duration(1), seconds(1), [&] { story.Report(worker); });
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  story.Advance(Duration(1));
  story.TickOwnership();

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kActive);
}

TEST(Windows, TheInstanceThatComesBackInTimeTakesItsOwnAgain) {
  Story story;
  story.Import(Items(1, 2));
  Worker worker = story.Active("w1");
  story.Active("w2");
  story.Advance(seconds(15));
  story.Settle();
  ASSERT_EQ(story.SessionOf("w1").state, SessionState::kClosed);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);

  worker = story.Reconnect(worker);

  EXPECT_THAT(NamesOf(story.last()), ElementsAre("session_opened", "ownership_resumed"));
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  story.Watch(worker);
  story.Settle();
  EXPECT_EQ(story.View("w1").size(), 2u);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(Windows, ARevokedAddressStaysRevokedWhoeverComesBack) {
  Story story;
  story.Import({Item(1), Item(1, [](auto& item) {
                  item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5);
                })});
  Worker worker = story.Active("w1");
  story.Report(worker, {}, /*draining=*/true);
  ASSERT_TRUE(story.HoldOf(IdOf(1)).revoked());

  worker = story.Reconnect(worker);
  story.Watch(worker);
  story.Drink(worker);

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
  for (const auto& [id, grant] : story.View("w1")) EXPECT_EQ(grant.state, GrantState::kDraining) << id;
}

TEST(Windows, AnotherInstanceWaitsUntilTheWindowOfTheFirstHasPassed) {
  Story story;
  story.Import(Items(1, 1));
  story.Active("w1");
  Worker second = story.Register("w1", "i2");
  EXPECT_EQ(story.HoldOf(IdOf(1)).lapse_cause, LapseCause::kNewInstance);
  story.Watch(second);

  story.AdvanceInSteps(seconds(40) - Duration(1), seconds(1), [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(second);
    story.Report(second);
  });
  EXPECT_EQ(story.View("w1").at(IdOf(1)).state, GrantState::kHeld);

  story.Advance(Duration(1));
  story.Settle();
  EXPECT_EQ(story.OwnerOf(IdOf(1)), "w1");
  EXPECT_EQ(story.View("w1").at(IdOf(1)).state, GrantState::kActive);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(Windows, TheFirstInstanceThatComesBackIsAThirdOneAndWaitsToo) {
  Story story;
  story.Import(Items(1, 1));
  const Worker first = story.Active("w1");
  story.Register("w1", "i2");

  const Worker back = story.Reconnect(first);

  EXPECT_EQ(back.epoch, first.epoch + 2);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
}

TEST(Windows, RegisteringAndWatchingWithoutEverAckingDoesNotHoldForEver) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  LogTime released;
  for (int round = 0; round < 20 && IsAbsent(released); ++round) {
    worker = story.Register("w1", "i" + std::to_string(10 + round));
    story.Watch(worker);
    story.AdvanceInSteps(seconds(5), seconds(1));
    if (story.OwnershipOf(IdOf(1)) == OwnershipState::kUnowned) released = story.now();
  }
  EXPECT_FALSE(IsAbsent(released));
  EXPECT_LE(released, kStart + seconds(45));
}

// Registers, watches, never answers, expires, registers again: always the same process.
void NeverAnswer(Story& story, Worker& worker, Duration duration) {
  story.AdvanceInSteps(duration, seconds(1), [&] {
    if (!story.SessionOf("w1").open() || story.SessionOf("w1").stream.value() == 0) {
      worker = story.Reconnect(worker);
      story.Watch(worker);
    }
  });
}

TEST(Windows, AProcessThatNeverAnswersIsAskedForEverythingAfterTheDrainGrace) {
  Story story;
  story.Import(Items(1, 2));
  Worker worker = story.Active("w1");

  // The session ends after 15 s; the first update that is not answered is issued in the second after.
  NeverAnswer(story, worker, seconds(75));
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  NeverAnswer(story, worker, seconds(2));
  EXPECT_EQ(story.HoldOf(IdOf(1)).revoke_reason, RevokeReason::kSnapshotRefused);
  EXPECT_TRUE(story.state().run().alarms().contains({AlarmKind::kSnapshotRefused, "w1"}));
  NeverAnswer(story, worker, seconds(100));  // to the deadline of the drain, and to the end of the window
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);

  worker = story.Reconnect(worker);
  story.Watch(worker);
  story.Drink(worker);  // answers at last
  EXPECT_EQ(story.OwnerOf(IdOf(1)), "w1");
  EXPECT_FALSE(story.state().run().alarms().contains({AlarmKind::kSnapshotRefused, "w1"}));
  EXPECT_THAT(story.faults(), IsEmpty());
}

// With nothing of its own it would be asked for what it is granted in the same moment, and that lapses for a window.
TEST(Windows, AnActiveProcessThatNeverAnswersIsGivenNothingToBeginWith) {
  Story story;
  Worker worker = story.Active("w1");
  story.Apply({Routing("news")});  // what it has to answer
  story.AdvanceInSteps(seconds(70), seconds(1), [&] {
    if (story.SessionOf("w1").stream.value() == 0) story.Watch(worker);
    story.Report(worker);
  });
  ASSERT_EQ(story.SessionOf("w1").state, SessionState::kActive);
  EXPECT_TRUE(story.state().run().alarms().contains({AlarmKind::kSnapshotRefused, "w1"}));

  story.Import(Items(1, 2));
  story.Settle();
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
  story.Watch(worker);
  story.Drink(worker);

  EXPECT_FALSE(story.state().run().alarms().contains({AlarmKind::kSnapshotRefused, "w1"}));
  EXPECT_EQ(story.OwnerOf(IdOf(1)), "w1");
  EXPECT_THAT(story.faults(), IsEmpty());
}

// Who is gone is not blamed for what it does not answer.
TEST(Windows, AProcessThatIsGoneAndHasNothingRaisesNoAlarm) {
  Story story;
  Worker worker = story.Active("w1");
  story.Apply({Routing("news")});

  story.AdvanceInSteps(minutes(3), seconds(1));

  EXPECT_FALSE(story.SessionOf("w1").open());
  EXPECT_THAT(story.state().run().alarms(), IsEmpty());
}

TEST(Windows, TheControllersDowntimeIsNoSilenceOfTheWorker) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.Import(Items(2, 2));
  story.Settle();  // issued, not answered yet
  story.Restart(/*same_boot=*/true, seconds(25));
  worker = story.Reconnect(worker);
  story.Watch(worker);
  story.Settle();
  story.Restart(/*same_boot=*/true, minutes(2));

  story.TickSessions();

  EXPECT_THAT(story.state().run().alarms(), IsEmpty());
}

TEST(Windows, ALongerGraceOfAnEarlierSessionStillCounts) {
  Settings settings = Trusting();
  settings.lapse_grace = seconds(60);
  Story story(settings);
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  const LogTime owned_until = story.OwnedUntil(IdOf(1));
  settings.lapse_grace = seconds(5);
  story.ChangeSettings(settings);
  story.Restart(true, seconds(1));

  worker = story.Reconnect(worker);

  EXPECT_EQ(story.OwnedUntil(IdOf(1)), owned_until);
}

TEST(Windows, ALongerGraceOfALaterSessionCountsForWhatWasGivenBefore) {
  Settings settings = Trusting();
  settings.lapse_grace = seconds(5);
  Story story(settings);
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  settings.lapse_grace = seconds(60);
  story.ChangeSettings(settings);
  story.Restart(true, seconds(1));
  worker = story.Reconnect(worker);
  story.Import({Item(2, [&](auto& item) { *item.mutable_expires_at() = Time(kStart + seconds(105)); })});
  EXPECT_EQ(story.OwnedUntil(IdOf(1)), kStart + seconds(90));

  story.AdvanceInSteps(seconds(50), seconds(1), [&] { worker = story.Reconnect(worker); });
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  EXPECT_FALSE(story.state().pool().proxy(ProxyKey(2)).usable);  // other ends are not held up by it

  story.Advance(seconds(39));
  story.TickOwnership();
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
}

// Found by simulation: a worker goes by the latest of all the views that it took, also of those before it gave it back.
TEST(Windows, WhatIsGivenBackAndGivenAgainIsHeldForAsLongAsItsProcessGoesByItsOldViews) {
  Settings settings = WithoutReserve();
  settings.allocation_safety_margin = seconds(1);
  Story story(settings);
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  const LogTime before = story.OwnedUntil(IdOf(1));
  log::v1::Input reclaim;
  reclaim.mutable_reclaim_proxies()->add_proxy_ids(IdOf(1));
  reclaim.mutable_reclaim_proxies()->set_reason("wanted elsewhere");
  story.When(reclaim);
  story.Drink(worker);
  story.Import({Item(1, [&](auto& item) { *item.mutable_expires_at() = Time(story.now() + seconds(5)); })});

  story.Report(worker);
  ASSERT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
  story.Settle();

  ASSERT_EQ(story.OwnerOf(IdOf(1)), "w1");
  EXPECT_GE(story.OwnedUntil(IdOf(1)), before);
}

TEST(Audit, APeriodTellsWhoHeldWhatFromWhenToWhenAndHowItEnded) {
  Story story;
  story.Import(Items(1, 1));
  const Worker worker = story.Active("w1");
  story.Advance(seconds(15));
  story.Settle();
  story.Advance(seconds(25));
  story.TickOwnership();

  ControllerState state;
  std::vector<OwnershipPeriod> ended;
  for (const LoggedEntry& entry : story.entries()) {
    for (const Event& event : entry.events) state.Apply(event, entry.point);
    for (OwnershipPeriod& period : state.TakeEndedPeriods()) ended.push_back(std::move(period));
  }
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].proxy_id, IdOf(1));
  EXPECT_EQ(ended[0].worker_id, "w1");
  EXPECT_EQ(ended[0].session_id, worker.session);
  EXPECT_EQ(ended[0].granted_at, kStart);
  EXPECT_EQ(ended[0].lapse_cause, LapseCause::kSessionOver);
  EXPECT_EQ(ended[0].owned_until, kStart + seconds(40));
  EXPECT_EQ(ended[0].ended_at, kStart + seconds(40));
  EXPECT_EQ(ended[0].end_reason, EndReason::kLapsed);
  EXPECT_TRUE(IsAbsent(ended[0].revoked_at));
}

}  // namespace
}  // namespace holdfast::testing
