// Drains: what is asked back is shown as DRAINING, released when a report proves that nothing runs, and forced at its
// deadline.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/checker_fixture.h"
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

// ---- an address ----

TEST(DrainOfAnAddress, IsShownThenAcknowledgedThenReportedThenReleasedWithItsCertificate) {
  Story story;
  story.Import(Items(1, 2));
  Worker worker = story.Active("w1");
  story.Report(worker, {{IdOf(1), 1, 0}});

  story.When(Reclaim({IdOf(1)}));
  EXPECT_THAT(NamesOf(story.last()), ElementsAre("ownership_revoked"));
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
  story.IssueDue();
  const std::uint64_t target = story.LatestVersion("w1");
  const Sequence issued = story.entries().back().point.sequence;
  EXPECT_EQ(ShownTo(story, "w1", 1), GrantState::kDraining);
  EXPECT_EQ(ShownTo(story, "w1", 2), GrantState::kActive);
  story.Ack(worker);
  const Sequence acknowledged = story.entries().back().point.sequence;
  story.Report(worker, {{IdOf(1), 1, 0}});
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);  // it still runs

  story.Report(worker);

  ASSERT_THAT(NamesOf(story.last()), ElementsAre("runtime_accepted", "ownership_released"));
  const OwnershipReleased released = EventsOf<OwnershipReleased>(story.last())[0];
  EXPECT_EQ(released.reason, EndReason::kDrained);
  EXPECT_EQ(released.target_version, Version(target));
  EXPECT_EQ(released.issue_sequence, issued);
  EXPECT_EQ(released.ack_sequence, acknowledged);
  EXPECT_EQ(released.report_sequence, story.entries().back().point.sequence);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DrainOfAnAddress, AZeroReportBeforeTheAcknowledgementProvesNothing) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.When(Reclaim({IdOf(1)}));
  story.IssueDue();

  story.Report(worker);  // of the version before

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
}

TEST(DrainOfAnAddress, AReservationHoldsItAsWell) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.When(Reclaim({IdOf(1)}));
  story.IssueDue();
  story.Ack(worker);

  story.Report(worker, {{IdOf(1), 0, 1}});

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
}

TEST(DrainOfAnAddress, BothSchemesOfAMachineMustBeQuiet) {
  Story story;
  story.Import({Item(1), Item(1, [](auto& item) {
                  item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5);
                })});
  Worker worker = story.Active("w1");
  story.When(Reclaim({IdOf(1)}));
  story.IssueDue();
  story.Ack(worker);

  story.Report(worker, {{"socks5://198.18.0.1:8080", 1, 0}});
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
  story.Report(worker);

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
}

TEST(DrainOfAnAddress, AtItsDeadlineItLeavesTheSnapshotAndLapsesWithAnAlarm) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.When(Reclaim({IdOf(1)}));
  story.IssueDue();
  story.Ack(worker);

  story.AdvanceInSteps(seconds(60) - Duration(1), seconds(1), [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(worker);
    story.Report(worker, {{IdOf(1), 1, 0}});
  });
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
  story.Advance(Duration(1));
  story.Settle();

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
  EXPECT_THAT(story.View("w1"), IsEmpty());
  EXPECT_TRUE(HasAlarm(story, AlarmKind::kDrainForced, "w1"));
  EXPECT_GE(story.OwnedUntil(IdOf(1)), story.oracle().UsedUntil("198.18.0.1:8080", "w1", Epoch(worker.epoch)));
}

TEST(DrainOfAnAddress, DrainingExtendsTheWindowOfWhoHadIt) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.When(Reclaim({IdOf(1)}));
  story.IssueDue();
  story.Ack(worker);
  const LogTime before = story.OwnedUntil(IdOf(1));

  story.AdvanceInSteps(seconds(20), seconds(1), [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(worker);
    story.Report(worker, {{IdOf(1), 1, 0}});
  });

  EXPECT_GT(story.OwnedUntil(IdOf(1)), before);
}

TEST(DrainOfAnAddress, WhatWasNeverShownIsNeverShownAsDraining) {
  Story story;
  Worker worker = story.Active("w1");
  story.Import(Items(1, 1));
  story.Place();
  ASSERT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);  // no update has listed it yet

  story.When(Reclaim({IdOf(1)}));
  story.IssueDue();

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
  EXPECT_THAT(story.View("w1"), IsEmpty());
}

TEST(DrainOfAnAddress, TargetAndDeadlineSurviveANewSessionOfTheProcess) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.When(Reclaim({IdOf(1)}));
  story.IssueDue();
  story.Ack(worker);
  const HoldRow before = story.HoldOf(IdOf(1));
  story.Advance(seconds(5));

  worker = story.Reconnect(worker);
  story.Watch(worker);
  story.Drink(worker);

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
  EXPECT_EQ(story.HoldOf(IdOf(1)).drain_target, before.drain_target);
  EXPECT_EQ(story.HoldOf(IdOf(1)).drain_deadline, before.drain_deadline);
  EXPECT_EQ(ShownTo(story, "w1", 1), GrantState::kDraining);
  story.Report(worker);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
}

TEST(DrainOfAnAddress, ASecondRevokeMovesNothingToALaterTime) {
  Story story;
  story.Import(Items(1, 1));
  story.Active("w1");
  story.When(Reclaim({IdOf(1)}));
  const LogTime deadline = story.HoldOf(IdOf(1)).drain_deadline;
  story.Advance(seconds(10));

  story.When(Reclaim({IdOf(1)}));

  EXPECT_THAT(story.last().events, IsEmpty());
  EXPECT_EQ(ReplyOf<admin::v1::ReclaimProxiesResponse>(story.last()).draining(), 1u);
  EXPECT_EQ(story.HoldOf(IdOf(1)).drain_deadline, deadline);
}

TEST(DrainOfAnAddress, ARevokedOneStaysRevokedWhenItsSessionEndsAndItsProcessComesBack) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.When(Reclaim({IdOf(1)}));
  story.Advance(seconds(15));
  story.Settle();
  ASSERT_EQ(story.SessionOf("w1").state, SessionState::kClosed);

  worker = story.Reconnect(worker);
  story.Watch(worker);
  story.Drink(worker);

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
  EXPECT_THAT(story.View("w1"), IsEmpty());
}

TEST(DrainOfAnAddress, AnotherInstanceIsNotShownItAndItsZeroProvesNothing) {
  Story story;
  story.Import(Items(1, 1));
  Worker first = story.Active("w1");
  story.Report(first, {{IdOf(1), 1, 0}});
  story.When(Reclaim({IdOf(1)}));
  story.IssueDue();

  Worker second = story.Register("w1", "i2");
  story.Watch(second);
  story.Drink(second);
  story.Report(second);

  EXPECT_THAT(story.View("w1"), IsEmpty());
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DrainOfAnAddress, ARemovedProxyStaysUntilItIsGivenBackAndIsThenGone) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.Report(worker, {{IdOf(1), 1, 0}});

  const auto reply = story.Remove({IdOf(1)});
  EXPECT_THAT(NamesOf(story.last()), ElementsAre("proxy_leaving", "ownership_revoked"));
  EXPECT_EQ(reply.draining(), 1u);
  story.IssueDue();
  story.Ack(worker);
  story.Report(worker, {{IdOf(1), 1, 0}});
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
  story.Report(worker);

  EXPECT_THAT(NamesOf(story.last()),
              ElementsAre("runtime_accepted", "ownership_released", "proxy_removed", "address_retired"));
  EXPECT_EQ(story.state().pool().FindProxy(IdOf(1)), ProxyKey());
}

// Found by simulation: the counter of a sibling that was removed meanwhile is the machine's all the same.
TEST(DrainOfAnAddress, WhatRunsThroughARemovedSiblingHoldsItAsWell) {
  Story story;
  story.Import({Item(1), Item(1, [](auto& item) {
                  item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5);
                })});
  Worker worker = story.Active("w1");
  story.Report(worker, {{"socks5://198.18.0.1:8080", 1, 0}});
  story.When(Reclaim({IdOf(1)}));
  story.Remove({"socks5://198.18.0.1:8080"});
  story.IssueDue();
  story.Ack(worker);

  story.Report(worker, {{"socks5://198.18.0.1:8080", 1, 0}});
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
  story.Report(worker);

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
  EXPECT_EQ(story.state().pool().FindProxy("socks5://198.18.0.1:8080"), ProxyKey());
}

TEST(DrainOfAnAddress, AnImportJoinsWhatIsStillHeld) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.Remove({IdOf(1)});

  const auto reply = story.Import(Items(1, 1));

  EXPECT_EQ(reply.updated(), 1u);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
  story.Drink(worker);
  story.Report(worker);
  EXPECT_NE(story.state().pool().FindProxy(IdOf(1)), ProxyKey());
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
}

// ---- a session ----

TEST(DrainOfASession, TakesNothingNewAndIsClosedAsDrainedWhenAllIsProven) {
  Story story;
  story.Import(Items(1, 2));
  Worker worker = story.Active("w1");
  story.Report(worker, {{IdOf(1), 1, 0}});

  story.When(Drain("w1"));
  EXPECT_THAT(NamesOf(story.last()), ElementsAre("eligibility_set", "session_draining", "ownership_revoked"));
  EXPECT_EQ(story.SessionOf("w1").drain_reason, DrainReason::kOperator);
  story.Import(Items(3, 3));
  story.Drink(worker);
  EXPECT_EQ(story.OwnerOf(IdOf(3)), "");
  story.Report(worker, {{IdOf(1), 1, 0}});
  EXPECT_EQ(story.OwnershipOf(IdOf(2)), OwnershipState::kUnowned);
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kDraining);
  story.Report(worker);

  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kClosed);
  EXPECT_EQ(story.SessionOf("w1").close_reason, CloseReason::kDrained);
  EXPECT_EQ(ReplyOf<controlplane::v1::ReportRuntimeResponse>(story.last()).session_state(),
            controlplane::v1::SESSION_STATE_CLOSED);
}

TEST(DrainOfASession, AtItsDeadlineItIsClosedAsSuchAndTheRestLapses) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.When(DrainWithin("w1", seconds(10)));

  story.AdvanceInSteps(seconds(10), seconds(1), [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(worker);
    story.Report(worker, {{IdOf(1), 1, 0}});
  });

  EXPECT_EQ(story.SessionOf("w1").close_reason, CloseReason::kDrainDeadline);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
  EXPECT_TRUE(HasAlarm(story, AlarmKind::kDrainForced, "w1"));
}

TEST(DrainOfASession, WithoutADeadlineItWaitsForItsProof) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.When(Drain("w1", [](auto& request) { request.set_no_deadline(true); }));

  story.AdvanceInSteps(minutes(30), seconds(1), [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(worker);
    story.Report(worker, {{IdOf(1), 1, 0}});
  });
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kDraining);
  story.Report(worker);

  EXPECT_EQ(story.SessionOf("w1").close_reason, CloseReason::kDrained);
}

TEST(DrainOfASession, ASoonerRequestMovesTheDeadlineALaterOneDoesNot) {
  Story story;
  story.Import(Items(1, 1));
  story.Active("w1");
  story.When(DrainWithin("w1", seconds(50)));

  const Decision later = story.When(DrainWithin("w1", seconds(100)));
  EXPECT_TRUE(ReplyOf<admin::v1::DrainSessionResponse>(later).already_draining());
  EXPECT_EQ(story.SessionOf("w1").drain_deadline, kStart + seconds(50));
  story.When(DrainWithin("w1", seconds(20)));

  EXPECT_EQ(story.SessionOf("w1").drain_deadline, kStart + seconds(20));
  EXPECT_EQ(story.HoldOf(IdOf(1)).drain_deadline, kStart + seconds(20));
}

TEST(DrainOfASession, WhatLapsedInItIsNotCalledDrained) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.When(Drain("w1", [](auto& request) { request.set_no_deadline(true); }));
  story.Drink(worker);
  story.StreamEnds(worker);  // no more updates: its window comes to its end

  story.AdvanceInSteps(seconds(60), seconds(1), [&] { story.Report(worker, {{IdOf(1), 1, 0}}); });

  EXPECT_EQ(story.SessionOf("w1").close_reason, CloseReason::kDrainDeadline);
}

// One report says that nothing runs any more and that its worker shuts down, which asks for all it has by a sooner
// time.
TEST(DrainOfASession, WhatItsFirstReportProvesIsGivenBackAndNotAskedForAgain) {
  Story story;
  story.Import(Items(1, 2));
  Worker worker = story.Active("w1");
  story.When(Drain("w1", [](auto& request) {
    request.set_no_deadline(true);
    request.set_keep_eligible(true);
  }));
  worker = story.Reconnect(worker);  // its drain goes on, and has no deadline
  story.Watch(worker);
  story.Drink(worker);
  ASSERT_EQ(story.SessionOf("w1").state, SessionState::kActive);
  ASSERT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
  ASSERT_EQ(ShownTo(story, "w1", 1), GrantState::kDraining);

  story.Report(worker, {{IdOf(2), 1, 0}}, /*draining=*/true);

  EXPECT_THAT(NamesOf(story.last()),
              ElementsAre("runtime_accepted", "ownership_released", "session_draining", "ownership_revoked"));
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
  EXPECT_EQ(story.HoldOf(IdOf(2)).drain_deadline, story.now() + story.state().settings().drain_grace);
  story.Report(worker, {}, /*draining=*/true);
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kClosed);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DrainOfASession, AMemberThatWasNeverSeenIsNotFound) {
  Story story;

  EXPECT_EQ(ReasonOf(story.When(Drain("nobody"))), RejectReason::kNotFound);
  EXPECT_EQ(ReasonOf(story.When(Fence("nobody"))), RejectReason::kNotFound);
}

TEST(DrainOfASession, AnotherSessionThanExpectedIsAFailedCondition) {
  Story story;
  story.Active("w1");

  EXPECT_EQ(ReasonOf(story.When(Drain("w1", [](auto& request) { request.set_expected_session_id("other"); }))),
            RejectReason::kFailedCondition);
  EXPECT_EQ(ReasonOf(story.When(Fence("w1", "other"))), RejectReason::kFailedCondition);
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kActive);
}

TEST(DrainOfASession, AWorkerThatRegistersAnewMayBecomeActiveAndWhatWasRevokedStaysSo) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.When(Drain("w1", [](auto& request) { request.set_keep_eligible(true); }));

  worker = story.Reconnect(worker);
  story.Watch(worker);
  story.Drink(worker);

  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kActive);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
}

// ---- fence, cordon, alarms ----

TEST(FenceSession, ClosesAtOnceAndNothingOfItComesBackByItself) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  const LogTime owned_until = story.OwnedUntil(IdOf(1));

  story.When(Fence("w1"));

  EXPECT_EQ(story.SessionOf("w1").close_reason, CloseReason::kFenced);
  EXPECT_EQ(story.HoldOf(IdOf(1)).revoke_reason, RevokeReason::kFence);
  EXPECT_EQ(ReplyOf<admin::v1::FenceSessionResponse>(story.last()).last_owned_until().seconds(),
            ToMicros(owned_until) / 1'000'000);
  EXPECT_EQ(ReasonOf(story.Report(worker)), RejectReason::kSessionClosed);
  worker = story.Reconnect(worker);
  story.Watch(worker);
  story.Drink(worker);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
  EXPECT_THAT(story.View("w1"), IsEmpty());
}

TEST(Cordon, KeepsLaterSessionsFromGrantsUntilItIsLifted) {
  Story story;
  story.When(Eligible("w1", false));  // never seen
  Worker worker = story.Active("w1");
  story.Import(Items(1, 1));
  story.Drink(worker);
  EXPECT_EQ(story.OwnerOf(IdOf(1)), "");

  story.When(Eligible("w1", true));
  story.Drink(worker);

  EXPECT_EQ(story.OwnerOf(IdOf(1)), "w1");
}

TEST(ClearAlarm, WhatIsOverIsClearedWhatIsSoIsNot) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.When(DrainWithin("w1", seconds(0)));
  story.Settle();
  story.Advance(seconds(60));
  log::v1::Input jumped;
  jumped.mutable_observe_clock()->set_offset_micros(-9'000'000);
  story.When(jumped);

  const Decision standing = story.When(Clear(admin::v1::ALARM_KIND_CLOCK_JUMPED, ""));
  const Decision absent = story.When(Clear(admin::v1::ALARM_KIND_HISTORY_LOST, "w9"));

  EXPECT_EQ(ReasonOf(standing), RejectReason::kFailedCondition);
  EXPECT_FALSE(ReplyOf<admin::v1::ClearAlarmResponse>(absent).cleared());
}

}  // namespace
}  // namespace holdfast
