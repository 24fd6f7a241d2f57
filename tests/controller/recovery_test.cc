// Starts: a new log, the same boot, another boot, stalls, waits, and what time does meanwhile.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DecideStart, ANewLogThatWasBootstrappedNeedNotWait) {
  Story story;

  EXPECT_THAT(NamesOf(story.last()), ElementsAre("log_created", "controller_started", "settings_changed"));
  EXPECT_EQ(story.state().run().base(), kBase);
  EXPECT_EQ(story.state().run().controller_epoch(), 1u);
  EXPECT_TRUE(IsAbsent(story.state().run().wait_until()));
}

TEST(DecideStart, AnEmptyLogDoesNotProveAnEmptyWorld) {
  Story story(Trusting(), /*bootstrap=*/false);
  story.Import(Items(1, 3));
  Worker worker = story.Register("w1");
  story.Watch(worker);

  story.AdvanceInSteps(seconds(39), seconds(1), [&] {
    story.Ack(worker);
    story.Report(worker);
  });
  EXPECT_THAT(story.View("w1"), IsEmpty());
  EXPECT_EQ(story.OwnerOf(IdOf(1)), "");

  story.Advance(seconds(1));
  story.Settle();
  EXPECT_EQ(story.OwnerOf(IdOf(1)), "w1");
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideStart, AWaitIsAnAlarmAsLongAsItLasts) {
  Story story(Trusting(), /*bootstrap=*/false);
  const auto raised = [&] { return story.state().run().alarms().contains({AlarmKind::kHoldOff, ""}); };

  EXPECT_TRUE(raised());
  log::v1::Input clear;
  clear.mutable_clear_alarm()->set_kind(admin::v1::ALARM_KIND_HOLD_OFF);
  clear.mutable_clear_alarm()->set_reason("it is in the way");
  EXPECT_EQ(ReasonOf(story.When(clear)), RejectReason::kFailedCondition);
  story.Advance(seconds(39));
  story.Settle();
  EXPECT_TRUE(raised());
  story.Advance(seconds(1));
  story.Settle();

  EXPECT_FALSE(raised());
  EXPECT_FALSE(Story().state().run().alarms().contains({AlarmKind::kHoldOff, ""})) << "begun with --bootstrap";
}

TEST(DecideStart, AWaitThatWasNotOverBeginsAnewWithTheNextStart) {
  Story story(Trusting(), /*bootstrap=*/false);
  story.Advance(seconds(20));

  story.Restart(/*same_boot=*/true, seconds(5));

  EXPECT_EQ(story.state().run().wait_until(), kStart + seconds(25 + 40));
  EXPECT_EQ(story.state().run().wait_reason(), WaitReason::kNewLog);
}

TEST(DecideStart, AWaitThatIsOverDoesNotComeBack) {
  Story story(Trusting(), /*bootstrap=*/false);
  story.Advance(seconds(40));
  story.Settle();

  story.Restart(/*same_boot=*/true, seconds(5));

  EXPECT_TRUE(IsAbsent(story.state().run().wait_until()));
}

TEST(DecideStart, NoGrantsUntilWhatALostHistoryGaveIsOver) {
  Story story;
  Worker worker = story.Active("w1");
  story.Register("w2", "i1", [](auto& request) { request.set_last_version(kBase + 77); });
  story.Import(Items(1, 1));

  const auto live = [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(worker);
    story.Report(worker);
  };
  story.AdvanceInSteps(seconds(39), seconds(1), live);
  EXPECT_EQ(story.OwnerOf(IdOf(1)), "");

  story.AdvanceInSteps(seconds(1), seconds(1), live);
  EXPECT_EQ(story.OwnerOf(IdOf(1)), "w1");
}

TEST(DecideStart, SettingsInForceAreThoseOfTheLastStart) {
  Story story;
  Settings changed;
  changed.session_ttl = seconds(40);
  story.ChangeSettings(changed);

  story.Restart(/*same_boot=*/true, seconds(1));

  EXPECT_EQ(EventsOf<SettingsChanged>(story.last()).size(), 1u);
  story.Register("w1");
  EXPECT_EQ(story.SessionOf("w1").expires_at, story.now() + seconds(40));
}

TEST(DecideStart, OnTheSameBootSessionsGoOnWithoutTheirStreams) {
  Story story;
  story.Import(Items(1, 2));
  const Worker worker = story.Active("w1");
  const LogTime owned_until = story.OwnedUntil(IdOf(1));

  story.Restart(/*same_boot=*/true, seconds(3));

  EXPECT_EQ(EventsOf<SessionDetached>(story.last()).size(), 1u);
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kActive);
  EXPECT_EQ(story.SessionOf("w1").opened.session_id.value(), worker.session);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  EXPECT_EQ(story.OwnedUntil(IdOf(1)), owned_until);
}

TEST(DecideStart, DowntimeIsNotHeldAgainstASession) {
  Story story;
  story.Active("w1");

  story.Restart(/*same_boot=*/true, hours(2));
  story.Advance(seconds(30) - Duration(1));
  story.Settle();
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kActive);

  story.Advance(Duration(1));
  story.Settle();
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kClosed);
}

TEST(DecideStart, TheHoldOffIsCountedInUptimeFromTheLastWordHeardOverAllRestarts) {
  Story story;
  story.Import(Items(1, 1));
  story.Active("w1");  // heard at the start

  // Ten seconds up, ten down, and again.
  story.Advance(seconds(10));
  story.Settle();
  story.Restart(true, seconds(10));
  story.Advance(seconds(10));
  story.Settle();
  story.Restart(true, seconds(10));
  story.Advance(seconds(10) - Duration(1));
  story.Settle();
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kActive);

  story.Advance(Duration(1));  // thirty seconds up in all
  story.Settle();
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kClosed);
}

TEST(DecideStart, AWordHeardAfterTheStartEndsItsHoldOff) {
  Story story;
  Worker worker = story.Active("w1");
  story.Restart(true, seconds(5));
  story.Advance(seconds(2));

  story.Report(worker);

  EXPECT_EQ(story.SessionOf("w1").expires_at, story.now() + seconds(15));
}

TEST(DecideStart, RestartsInARowCannotKeepADeadWorkersOwnershipAlive) {
  Story story;
  story.Import(Items(1, 1));
  story.Active("w1");  // dies now; its last update is valid for 30 s
  const LogTime owned_until = story.OwnedUntil(IdOf(1));
  EXPECT_EQ(owned_until, kStart + seconds(40));

  Worker other;
  LogTime taken_at;
  for (int start = 0; start < 12 && IsAbsent(taken_at); ++start) {
    story.Restart(true, seconds(1));
    other = story.Register("w2", "i" + std::to_string(start));
    story.Watch(other);
    story.AdvanceInSteps(seconds(9), seconds(1), [&] {
      if (story.SnapshotsOf("w2").outstanding.value() != 0) story.Ack(other);
      story.Report(other);
      if (story.OwnerOf(IdOf(1)) == "w2" && IsAbsent(taken_at)) taken_at = story.now();
    });
  }

  EXPECT_GE(taken_at, owned_until);
  EXPECT_LE(taken_at, owned_until + seconds(3));
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideStart, OnAnotherBootSessionsEndAndWhatWasHeldKeepsWhatItHadLeft) {
  Story story;
  story.Import(Items(1, 2));
  Worker worker = story.Active("w1");
  story.Advance(seconds(12));
  story.Report(worker);
  const Duration left = story.OwnedUntil(IdOf(1)) - story.now();

  story.Restart(/*same_boot=*/false, hours(5));

  EXPECT_EQ(EventsOf<SessionClosed>(story.last())[0].reason, CloseReason::kRecovery);
  EXPECT_EQ(ReasonOf(story.Report(worker)), RejectReason::kSessionClosed);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
  EXPECT_EQ(story.OwnedUntil(IdOf(1)), story.now() + left);
  story.Advance(left - Duration(1));
  story.TickOwnership();
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
  story.Advance(Duration(1));
  story.TickOwnership();
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
}

TEST(DecideStart, WhatWasLeftShrinksOverRestartsOnOtherBoots) {
  Story story;
  story.Import(Items(1, 1));
  story.Active("w1");
  story.Restart(/*same_boot=*/false, hours(1));
  const LogTime owned_until = story.OwnedUntil(IdOf(1));

  // While something is held and nothing else is written, marks of time say how long the controller was up.
  story.Advance(seconds(5));
  log::v1::Input mark;
  mark.mutable_time_mark();
  EXPECT_THAT(NamesOf(story.When(mark)), ElementsAre("time_marked"));
  story.Restart(/*same_boot=*/false, hours(1));

  EXPECT_EQ(story.OwnedUntil(IdOf(1)) - story.now(), owned_until - (story.now() - hours(1)));
}

TEST(DecideTimeMark, NothingIsMarkedWhileNothingIsHeld) {
  Story story;
  log::v1::Input mark;
  mark.mutable_time_mark();

  EXPECT_THAT(story.When(mark).events, IsEmpty());
}

TEST(DecideStart, TheProcessThatComesBackAfterAnotherBootTakesItsOwnAgain) {
  Story story;
  story.Import(Items(1, 2));
  Worker worker = story.Active("w1");
  story.Restart(/*same_boot=*/false, minutes(3));

  worker = story.Reconnect(worker);
  story.Watch(worker);
  story.Drink(worker);

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  EXPECT_EQ(story.View("w1").size(), 2u);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideStart, VersionsGoOnAfterARestart) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  const std::uint64_t version = story.LatestVersion("w1");

  story.Restart(true, seconds(1));
  story.Import(Items(2, 2));
  worker = story.Reconnect(worker);
  story.Watch(worker, version, "");
  story.Settle();

  EXPECT_EQ(story.LatestVersion("w1"), version + 1);
  EXPECT_EQ(story.View("w1").size(), 1u);  // what is new comes once it is active again
  story.Drink(worker);
  EXPECT_EQ(story.View("w1").size(), 2u);
}

TEST(DecideStall, TheControllersSilenceIsNotAWorkers) {
  Story story;
  story.Active("w1");
  story.Advance(seconds(20));
  log::v1::Input stalled;
  stalled.mutable_sync_stalled()->set_stalled_micros(20'000'000);

  const Decision& decision = story.When(stalled);

  EXPECT_THAT(NamesOf(decision), ElementsAre("hold_off_started", "alarm_raised"));
  story.Advance(seconds(30) - Duration(1));
  story.TickSessions();
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kActive);
  story.Advance(Duration(1));
  story.TickSessions();
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kClosed);
}

log::v1::Input Diverged(std::uint64_t sequence, const std::string& finding) {
  log::v1::Input input;
  input.mutable_audit_diverged()->set_sequence(sequence);
  input.mutable_audit_diverged()->set_finding(finding);
  return input;
}

TEST(DecideDivergence, WhatTheSelfAuditFoundIsAnAlarmAndIsToldOnce) {
  Story story;

  const Decision first = story.When(Diverged(7, "sequence 7: the rules decide something else"));
  const Decision again = story.When(Diverged(7, "sequence 7: the rules decide something else"));
  const Decision other = story.When(Diverged(5, "sequence 5: damage"));

  EXPECT_THAT(NamesOf(first), ElementsAre("alarm_raised"));
  EXPECT_THAT(NamesOf(again), IsEmpty());
  EXPECT_THAT(NamesOf(other), ElementsAre("alarm_raised"));
  EXPECT_EQ(story.state().run().alarms().at({AlarmKind::kReplayDiverged, ""}).detail, "sequence 5: damage");
}

log::v1::Input Disk(std::uint64_t free_bytes) {
  log::v1::Input input;
  input.mutable_disk_watched()->set_free_bytes(free_bytes);
  input.mutable_disk_watched()->set_least_bytes(1 << 20);
  return input;
}

TEST(DecideDisk, IsAnAlarmWhileThereIsTooLittleRoom) {
  Story story;

  EXPECT_THAT(NamesOf(story.When(Disk(1 << 20))), IsEmpty());
  EXPECT_THAT(NamesOf(story.When(Disk((1 << 20) - 1))), ElementsAre("alarm_raised"));
  EXPECT_TRUE(story.state().run().alarms().contains({AlarmKind::kDiskLow, ""}));
  EXPECT_THAT(NamesOf(story.When(Disk(0))), IsEmpty()) << "told once";
  EXPECT_THAT(NamesOf(story.When(Disk(2 << 20))), ElementsAre("alarm_cleared"));
}

TEST(DecideClock, AJumpOfTheWallIsToldAndMovesNothing) {
  Story story;
  story.Import(Items(1, 1));
  story.Active("w1");
  const LogTime expires_at = story.SessionOf("w1").expires_at;
  const LogTime owned_until = story.OwnedUntil(IdOf(1));
  log::v1::Input jumped;
  jumped.mutable_observe_clock()->set_wall_micros(ToMicros(kStart + hours(24 * 365)));
  jumped.mutable_observe_clock()->set_offset_micros(-std::chrono::microseconds(hours(24 * 365)).count());

  const Decision& decision = story.When(jumped);

  EXPECT_THAT(NamesOf(decision), ElementsAre("clock_jumped", "alarm_raised"));
  EXPECT_EQ(story.SessionOf("w1").expires_at, expires_at);
  EXPECT_EQ(story.OwnedUntil(IdOf(1)), owned_until);

  jumped.mutable_observe_clock()->set_offset_micros(0);
  EXPECT_THAT(NamesOf(story.When(jumped)), ElementsAre("clock_jumped", "alarm_cleared"));
  EXPECT_THAT(story.state().run().alarms(), IsEmpty());
}

}  // namespace
}  // namespace holdfast::testing
