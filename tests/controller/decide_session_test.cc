// Registration, supersession, which process it is, streams, silence.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {
namespace {

using controlplane::v1::RegisterWorkerRequest;
using controlplane::v1::RegisterWorkerResponse;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DecideRegister, AFirstRegistrationOpensAHandshakingSessionAboveTheBase) {
  Story story;

  const Decision& decision = story.TryRegister("w1", "i1");

  EXPECT_THAT(NamesOf(decision), ElementsAre("session_opened"));
  const auto& reply = ReplyOf<RegisterWorkerResponse>(decision);
  EXPECT_EQ(reply.ownership_epoch(), kBase + 1);
  EXPECT_EQ(reply.protocol_version(), 1u);
  EXPECT_EQ(reply.session_state(), controlplane::v1::SESSION_STATE_HANDSHAKING);
  EXPECT_EQ(reply.log_id(), std::string("5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"));
  EXPECT_EQ(reply.session_ttl().seconds(), 15);
  EXPECT_EQ(reply.server_time().seconds(), ToMicros(kStart) / 1'000'000);
  EXPECT_EQ(story.SessionOf("w1").expires_at, kStart + seconds(15));
}

TEST(DecideRegister, VersionsThatDoNotOverlapAreRefusedWithTheRange) {
  Story story;

  const Decision& decision = story.TryRegister("w1", "i1", [](RegisterWorkerRequest& request) {
    request.set_supported_protocol_version(3);
    request.set_min_protocol_version(2);
  });

  EXPECT_EQ(ReasonOf(decision), RejectReason::kProtocolVersion);
  const auto& rejection = ReplyOf<Rejection>(decision);
  EXPECT_EQ(rejection.metadata.at("min"), "1");
  EXPECT_EQ(rejection.metadata.at("max"), "1");
  EXPECT_THAT(NamesOf(decision), ElementsAre("input_rejected"));
  EXPECT_EQ(story.state().sessions().Find("w1"), nullptr);
}

TEST(DecideRegister, AWorkerThatSpeaksANewerVersionAsWellGetsOurs) {
  Story story;

  const Decision& decision = story.TryRegister("w1", "i1", [](RegisterWorkerRequest& request) {
    request.set_supported_protocol_version(4);
    request.set_min_protocol_version(1);
  });

  EXPECT_EQ(ReplyOf<RegisterWorkerResponse>(decision).protocol_version(), 1u);
}

TEST(DecideRegister, WithoutALeastVersionOnlyTheHighestIsSpoken) {
  Story story;

  const Decision& decision =
      story.TryRegister("w1", "i1", [](RegisterWorkerRequest& request) { request.set_supported_protocol_version(2); });

  EXPECT_EQ(ReasonOf(decision), RejectReason::kProtocolVersion);
}

TEST(DecideRegister, TheSameProcessKeepsItsEpochAndItsSessionIsSuperseded) {
  Story story;
  Worker worker = story.Register("w1");
  story.Watch(worker);

  const Worker again = story.Reconnect(worker);

  EXPECT_EQ(again.epoch, worker.epoch);
  EXPECT_THAT(NamesOf(story.last()), ElementsAre("session_detached", "session_closed", "session_opened"));
  EXPECT_EQ(EventsOf<SessionDetached>(story.last())[0].reason, RejectReason::kSessionSuperseded);
  EXPECT_EQ(EventsOf<SessionClosed>(story.last())[0].reason, CloseReason::kSuperseded);
  EXPECT_FALSE(EventsOf<SessionOpened>(story.last())[0].new_instance);
}

TEST(DecideRegister, ARetryWhoseAnswerWasLostKeepsTheEpoch) {
  Story story;
  const auto named = [](RegisterWorkerRequest& request) { request.set_registration_id("r1"); };
  const Worker worker = story.Register("w1", "i1", named);

  const Worker again = story.Register("w1", "i1", named);

  EXPECT_EQ(again.epoch, worker.epoch);
  EXPECT_NE(again.session, worker.session);
}

TEST(DecideRegister, AnotherInstanceRaisesTheEpoch) {
  Story story;
  const Worker first = story.Register("w1", "i1");

  const Worker second = story.Register("w1", "i2");

  EXPECT_EQ(second.epoch, first.epoch + 1);
  EXPECT_TRUE(EventsOf<SessionOpened>(story.last())[0].new_instance);
}

TEST(DecideRegister, AnInstanceIdAloneProvesNothing) {
  Story story;
  const Worker first = story.Register("w1", "i1");

  const Worker clone = story.Register("w1", "i1");  // a machine image that woke twice: no previous session named

  EXPECT_EQ(clone.epoch, first.epoch + 1);
}

TEST(DecideRegister, ThePreviousSessionMustBeTheLatestOne) {
  Story story;
  const Worker first = story.Register("w1", "i1");
  const Worker second = story.Reconnect(first);

  const Worker third = story.Reconnect(first);  // names a session that was replaced already

  EXPECT_EQ(second.epoch, first.epoch);
  EXPECT_EQ(third.epoch, second.epoch + 1);
}

TEST(DecideRegister, ASessionThatIsOverCanBeContinuedByItsProcess) {
  Story story;
  const Worker worker = story.Register("w1");
  story.Advance(seconds(15));
  story.TickSessions();

  const Worker again = story.Reconnect(worker);

  EXPECT_EQ(again.epoch, worker.epoch);
}

TEST(DecideRegister, ACleanCloseAndANewRegistrationNeedNoWaiting) {
  Story story;
  Worker worker = story.Active("w1");
  story.Report(worker, {}, true);
  ASSERT_EQ(story.SessionOf("w1").state, SessionState::kClosed);

  const Worker next = story.Register("w1", "i2");

  EXPECT_EQ(next.epoch, worker.epoch + 1);
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kHandshaking);
}

TEST(DecideRegister, BoundsOfTheControllerHoldForWhatTheWorkerAsksFor) {
  Settings settings = Trusting();
  settings.max_proxies_per_worker = 100;
  Story story(settings);

  story.Register("w1", "i1", [](RegisterWorkerRequest& request) {
    request.set_max_proxies(5000);
    request.set_max_message_bytes(1u << 30);
  });
  story.Register("w2", "i1", [](RegisterWorkerRequest& request) {
    request.set_max_proxies(0);
    request.set_max_message_bytes(100'000);
  });

  EXPECT_EQ(story.SessionOf("w1").opened.max_proxies, 100u);
  EXPECT_EQ(story.SessionOf("w1").opened.max_message_bytes, settings.max_message);
  EXPECT_EQ(story.SessionOf("w2").opened.max_proxies, 0u);
  EXPECT_EQ(story.SessionOf("w2").opened.max_message_bytes, 100'000u);
}

TEST(DecideRegister, AWorkerThatRemembersMoreThanTheLogRaisesTheAlarmAndTheWait) {
  Story story;

  const Worker worker = story.Register("w1", "i1", [](RegisterWorkerRequest& request) {
    request.set_last_ownership_epoch(kBase + 900);
    request.set_last_version(kBase + 4000);
  });

  EXPECT_EQ(worker.epoch, kBase + 901);
  EXPECT_THAT(NamesOf(story.last()),
              ElementsAre("history_lost", "alarm_raised", "wait_started", "alarm_raised", "session_opened"));
  EXPECT_EQ(EventsOf<AlarmRaised>(story.last())[0].kind, AlarmKind::kHistoryLost);
  EXPECT_EQ(story.state().run().wait_until(), kStart + seconds(40));
  EXPECT_EQ(story.SnapshotsOf("w1").first_version.value(), kBase + 4001);
}

TEST(DecideRegister, AnotherLogIdShowsLostHistoryToo) {
  Story story;

  story.Register("w1", "i1", [](RegisterWorkerRequest& request) { request.set_last_log_id("00ff"); });

  EXPECT_EQ(EventsOf<HistoryLost>(story.last()).size(), 1u);
}

TEST(DecideRegister, WhoRemembersThisLogIsNoCauseForAlarm) {
  Story story;
  const Worker worker = story.Register("w1");

  story.Reconnect(worker, [&](RegisterWorkerRequest& request) {
    request.set_last_log_id(story.state().run().log_id_text());
    request.set_last_ownership_epoch(worker.epoch);
    request.set_last_version(kBase);
  });

  EXPECT_THAT(EventsOf<HistoryLost>(story.last()), IsEmpty());
}

TEST(DecideCalls, ASessionNeverSeenIsUnknown) {
  Story story;
  Worker nobody{"w1", "i1", "s", kBase + 1, 0, 0};
  EXPECT_EQ(ReasonOf(story.Watch(nobody)), RejectReason::kSessionUnknown);

  story.Register("w1");
  EXPECT_EQ(ReasonOf(story.Watch(nobody)), RejectReason::kSessionUnknown);
  EXPECT_EQ(ReasonOf(story.Report(nobody)), RejectReason::kSessionUnknown);
  EXPECT_EQ(ReasonOf(story.Outcomes(nobody, 1, {})), RejectReason::kSessionUnknown);
  EXPECT_EQ(ReasonOf(story.AckWith(nobody, 1, "")), RejectReason::kSessionUnknown);
}

TEST(DecideCalls, AnotherWorkersSessionIsUnknown) {
  Story story;
  Worker one = story.Register("w1");
  story.Register("w2");
  one.id = "w2";

  EXPECT_EQ(ReasonOf(story.Report(one)), RejectReason::kSessionUnknown);
}

TEST(DecideCalls, ALateReportOfASupersededSessionIsRefusedAndTouchesNothing) {
  Story story;
  Worker old = story.Active("w1");
  const Worker fresh = story.Register("w1", "i2");
  const LogTime expires_at = story.SessionOf("w1").expires_at;
  story.Advance(seconds(1));

  const Decision& decision = story.Report(old, {}, /*draining=*/true);

  EXPECT_EQ(ReasonOf(decision), RejectReason::kSessionSuperseded);
  EXPECT_THAT(NamesOf(decision), ElementsAre("instances_swapped", "input_rejected"));  // both are alive: that is kept
  EXPECT_EQ(story.SessionOf("w1").opened.session_id.value(), fresh.session);
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kHandshaking);
  EXPECT_EQ(story.SessionOf("w1").expires_at, expires_at);
}

TEST(DecideCalls, AReapedSessionIsNeverRevived) {
  Story story;
  Worker worker = story.Active("w1");
  story.Advance(seconds(15));
  story.TickSessions();

  const Decision& decision = story.Report(worker);

  EXPECT_EQ(ReasonOf(decision), RejectReason::kSessionExpired);
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kClosed);
  EXPECT_EQ(story.SessionOf("w1").close_reason, CloseReason::kExpired);
}

TEST(DecideCalls, ADrainedSessionIsClosed) {
  Story story;
  Worker worker = story.Active("w1");
  story.Report(worker, {}, true);

  EXPECT_EQ(ReasonOf(story.Report(worker)), RejectReason::kSessionClosed);
}

TEST(DecideCalls, OnlyTheLastEightSessionsAreRemembered) {
  Story story;
  Worker first = story.Register("w1");
  Worker latest = first;
  for (int i = 0; i < 8; ++i) latest = story.Reconnect(latest);
  EXPECT_EQ(ReasonOf(story.Report(first)), RejectReason::kSessionSuperseded);

  latest = story.Reconnect(latest);

  EXPECT_EQ(ReasonOf(story.Report(first)), RejectReason::kSessionUnknown);
}

TEST(DecideCalls, AnEpochBelowTheCurrentOneIsStale) {
  Story story;
  Worker worker = story.Active("w1");
  --worker.epoch;

  const Decision& decision = story.Report(worker);

  EXPECT_EQ(ReasonOf(decision), RejectReason::kEpochStale);
  EXPECT_EQ(ReplyOf<Rejection>(decision).metadata.at("current_epoch"), std::to_string(worker.epoch + 1));
}

TEST(DecideCalls, AnEpochAboveTheCurrentOneIsAhead) {
  Story story;
  Worker worker = story.Active("w1");
  ++worker.epoch;

  EXPECT_EQ(ReasonOf(story.Report(worker)), RejectReason::kEpochAhead);
  EXPECT_EQ(ReasonOf(story.Outcomes(worker, 1, {})), RejectReason::kEpochAhead);
  EXPECT_EQ(ReasonOf(story.Watch(worker)), RejectReason::kEpochAhead);
}

TEST(DecideCalls, TheSessionIsLookedAtBeforeTheEpoch) {
  Story story;
  Worker old = story.Active("w1");
  story.Register("w1", "i2");  // a higher epoch

  EXPECT_EQ(ReasonOf(story.Report(old)), RejectReason::kSessionSuperseded);
}

TEST(DecideSessionTick, ASessionEndsAtItsTtlAndNotBefore) {
  Story story;
  story.Active("w1");

  story.Advance(seconds(15) - Duration(1));
  story.TickSessions();
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kActive);

  story.Advance(Duration(1));
  story.TickSessions();
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kClosed);
}

TEST(DecideSessionTick, OnlyRegisteringAckingAndReportingRenew) {
  Story story;
  Worker worker = story.Active("w1");

  story.Advance(seconds(10));
  story.Watch(worker);
  story.Outcomes(worker, 1, {});
  story.StreamEnds(worker);
  EXPECT_EQ(story.SessionOf("w1").expires_at, kStart + seconds(15));

  story.Report(worker);
  EXPECT_EQ(story.SessionOf("w1").expires_at, kStart + seconds(25));
}

TEST(DecideSessionTick, HundredsOfSessionsEndOneByOneInAStableOrder) {
  Story story;
  for (int i = 0; i < 300; ++i) story.Register("w" + std::to_string(i));
  story.Advance(seconds(15));
  const std::size_t before = story.entries().size();

  story.TickSessions();

  ASSERT_EQ(story.entries().size(), before + 300);
  for (std::size_t i = 0; i < 300; ++i) {
    const auto closed = EventsOf<SessionClosed>(story.entries()[before + i].events);
    ASSERT_EQ(closed.size(), 1u);
    EXPECT_EQ(closed[0].worker.value(), i + 1);
  }
}

TEST(DecideWatch, ASecondStreamReplacesTheFirst) {
  Story story;
  Worker worker = story.Register("w1");
  story.Watch(worker);
  const std::uint64_t first = worker.stream;

  const Decision& decision = story.Watch(worker);

  const auto detached = EventsOf<SessionDetached>(decision);
  ASSERT_EQ(detached.size(), 1u);
  EXPECT_EQ(detached[0].stream.value(), first);
  EXPECT_EQ(detached[0].reason, RejectReason::kStreamReplaced);
  EXPECT_EQ(story.SessionOf("w1").stream.value(), worker.stream);
}

TEST(DecideWatch, TheEndOfAStreamThatWasReplacedChangesNothing) {
  Story story;
  Worker worker = story.Register("w1");
  story.Watch(worker);
  const Worker old = worker;
  story.Watch(worker);

  EXPECT_THAT(story.StreamEnds(old).events, IsEmpty());
  EXPECT_EQ(story.SessionOf("w1").stream.value(), worker.stream);
}

TEST(DecideShed, ASessionWhoseCallWasShedDoesNotExpireForIt) {
  Story story;
  Worker worker = story.Active("w1");
  story.Active("w2");
  story.Advance(seconds(14));
  log::v1::Input input;
  auto& shed = *input.mutable_calls_shed()->add_sessions();
  shed.set_worker_id("w1");
  shed.set_session_id(worker.session);
  auto& stranger = *input.mutable_calls_shed()->add_sessions();
  stranger.set_worker_id("w2");
  stranger.set_session_id("another-session");

  const Decision& decision = story.When(input);

  EXPECT_THAT(NamesOf(decision), ElementsAre("session_heard"));
  story.Advance(seconds(1));
  story.TickSessions();
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kActive);
  EXPECT_EQ(story.SessionOf("w2").state, SessionState::kClosed);
}

}  // namespace
}  // namespace holdfast::testing
