// Another process of a worker: what the first may still use is HELD, then its own; two that take turns are in conflict.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/operator_inputs.h"

namespace holdfast {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

GrantState ShownTo(const Story& story, const std::string& worker, int number) {
  const auto& content = story.SnapshotsOf(worker).content;
  const auto found = content.find(story.state().pool().FindProxy(IdOf(number)));
  return found == content.end() ? GrantState::kUnspecified : found->second->state;
}

bool InConflict(const Story& story) {
  return story.state().run().alarms().contains({AlarmKind::kInstanceConflict, "w1"});
}

TEST(Takeover, WhatTheFirstMayStillUseIsHeldAndIsGrantedTheMomentThatIsOver) {
  Story story;
  story.Import(Items(1, 1));
  story.Active("w1");
  const LogTime owned_until = story.OwnedUntil(IdOf(1));

  Worker second = story.Register("w1", "i2");
  EXPECT_THAT(NamesOf(story.last()), Contains("ownership_held"));
  story.Watch(second);
  story.Drink(second);
  EXPECT_EQ(ShownTo(story, "w1", 1), GrantState::kHeld);
  EXPECT_EQ(story.OwnedUntil(IdOf(1)), owned_until);  // HELD extends nothing

  story.AdvanceInSteps(owned_until - story.now() - Duration(1), seconds(1), [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(second);
    story.Report(second);
  });
  EXPECT_EQ(ShownTo(story, "w1", 1), GrantState::kHeld);
  story.Advance(Duration(1));
  story.TickOwnership();
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  story.Drink(second);

  EXPECT_EQ(ShownTo(story, "w1", 1), GrantState::kActive);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(Takeover, ReleaseAndGrantAreOneDecision) {
  Story story;
  story.Import(Items(1, 1));
  story.Active("w1");
  Worker second = story.Register("w1", "i2");
  story.Watch(second);
  story.Drink(second);
  const LogTime owned_until = story.OwnedUntil(IdOf(1));
  story.AdvanceInSteps(owned_until - story.now() - Duration(1), seconds(1), [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(second);
    story.Report(second);
  });
  story.Advance(Duration(1));
  log::v1::Input tick;
  tick.mutable_tick()->set_scope(log::v1::Tick::SCOPE_OWNERSHIP);

  story.When(tick);

  EXPECT_THAT(NamesOf(story.last()), ElementsAre("ownership_released", "ownership_granted"));
}

TEST(Takeover, ACordonedOneIsNotGivenWhatItWasShownAsHeld) {
  Story story;
  story.Import(Items(1, 1));
  story.Active("w1");
  Worker second = story.Register("w1", "i2");
  story.Watch(second);
  story.Drink(second);
  story.When(Eligible("w1", false));

  story.AdvanceInSteps(seconds(45), seconds(1), [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(second);
    story.Report(second);
  });

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
  EXPECT_THAT(story.View("w1"), IsEmpty());
}

TEST(Takeover, AnotherSessionOfTheSecondProcessGoesOnWithWhatIsHeld) {
  Story story;
  story.Import(Items(1, 1));
  story.Active("w1");
  Worker second = story.Register("w1", "i2");
  story.Watch(second);
  story.Drink(second);

  second = story.Reconnect(second);
  story.Watch(second);
  story.Drink(second);

  EXPECT_EQ(ShownTo(story, "w1", 1), GrantState::kHeld);
}

TEST(Takeover, ARevokeEndsWhatIsHeld) {
  Story story;
  story.Import(Items(1, 1));
  story.Active("w1");
  Worker second = story.Register("w1", "i2");
  story.Watch(second);
  story.Drink(second);

  story.Remove({IdOf(1)});
  story.Drink(second);

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
  EXPECT_THAT(story.View("w1"), IsEmpty());
}

// ---- conflict ----

// The process that was superseded calls, and registers anew.
Worker SwapBack(Story& story, Worker& superseded) {
  story.Report(superseded);
  return story.Register("w1", superseded.instance);
}

TEST(InstanceConflict, ThreeSwapsInAMinuteAreOneAndNothingIsGrantedUntilTwoMinutesWithout) {
  Story story;
  Worker first = story.Active("w1");
  Worker second = story.Register("w1", "i2");
  first = SwapBack(story, first);  // one
  EXPECT_FALSE(InConflict(story));
  second = SwapBack(story, second);  // two
  EXPECT_FALSE(InConflict(story));
  first = SwapBack(story, first);  // three

  EXPECT_TRUE(InConflict(story));
  story.Watch(first);
  story.Drink(first);
  story.Import(Items(1, 1));
  story.Settle();
  EXPECT_EQ(story.OwnerOf(IdOf(1)), "");

  const auto live = [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(first);
    story.Report(first);
  };
  story.AdvanceInSteps(minutes(2) - Duration(1), seconds(1), live);
  EXPECT_TRUE(InConflict(story));
  story.Advance(Duration(1));
  live();
  story.Settle();
  EXPECT_FALSE(InConflict(story));
  EXPECT_EQ(story.OwnerOf(IdOf(1)), "w1");
}

TEST(InstanceConflict, ThreeSwapsInMoreThanAMinuteAreNone) {
  Story story;
  Worker first = story.Active("w1");
  Worker second = story.Register("w1", "i2");
  first = SwapBack(story, first);
  second = SwapBack(story, second);
  story.Advance(minutes(1));

  first = SwapBack(story, first);

  EXPECT_FALSE(InConflict(story));
}

TEST(InstanceConflict, ADeadProcessThatIsNotHeardAgainIsNoSwap) {
  Story story;
  story.Active("w1");
  for (int life = 2; life < 10; ++life) story.Register("w1", "i" + std::to_string(life));

  EXPECT_FALSE(InConflict(story));
}

TEST(InstanceConflict, OneLateCallCountsOnce) {
  Story story;
  Worker first = story.Active("w1");
  story.Register("w1", "i2");

  for (int i = 0; i < 5; ++i) story.Report(first);

  EXPECT_EQ(story.SessionOf("w1").swaps.size(), 1u);
}

TEST(InstanceConflict, TwoUnderOneInstanceIdAreSeenAsWell) {
  Story story;
  Worker first = story.Active("w1");
  Worker clone = story.Register("w1", "i1");  // a machine image that runs twice
  for (int i = 0; i < 2; ++i) {
    first = SwapBack(story, first);
    clone = SwapBack(story, clone);
  }

  EXPECT_TRUE(InConflict(story));
}

TEST(InstanceConflict, InItEveryRegistrationIsAnotherInstance) {
  Story story;
  Worker first = story.Active("w1");
  Worker second = story.Register("w1", "i2");
  first = SwapBack(story, first);
  second = SwapBack(story, second);
  first = SwapBack(story, first);
  ASSERT_TRUE(InConflict(story));

  const Worker again = story.Reconnect(first);

  EXPECT_EQ(again.epoch, first.epoch + 1);
}

TEST(InstanceConflict, AReconnectOfOneProcessIsNoSwapHoweverOften) {
  Story story;
  Worker worker = story.Active("w1");
  for (int i = 0; i < 6; ++i) {
    Worker before = worker;
    worker = story.Reconnect(worker);
    story.Report(before);  // a late call of its own
  }

  EXPECT_FALSE(InConflict(story));
}

}  // namespace
}  // namespace holdfast
