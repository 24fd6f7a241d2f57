// Registering, reconnecting, leaving: who the worker says it is, and what it does when a session is over.

#include "tests/client/worker_client_fixture.h"

namespace holdfast::client {
namespace {

TEST_F(WorkerClientTest, TheFirstRegistrationNamesNoEarlierSession) {
  client_->Start();

  ASSERT_EQ(wire_->registers.size(), 1U);
  const auto& request = wire_->registers.front().request;
  EXPECT_EQ(request.worker_id(), "w1");
  EXPECT_EQ(request.instance_id(), client_->instance_id());
  EXPECT_EQ(request.previous_session_id(), "");
  EXPECT_NE(request.registration_id(), "");
  EXPECT_EQ(request.supported_protocol_version(), 1U);
  EXPECT_EQ(request.last_version(), 0U);
}

TEST_F(WorkerClientTest, EachObjectIsAnotherInstance) {
  const std::string first = client_->instance_id();

  NewClient();

  EXPECT_NE(client_->instance_id(), first);
}

TEST_F(WorkerClientTest, ARetryWhoseAnswerWasLostKeepsItsRegistrationId) {
  client_->Start();
  const std::string id = wire_->registers.front().request.registration_id();
  Refuse(wire_->registers, {.code = absl::StatusCode::kDeadlineExceeded, .message = "lost"});
  EXPECT_TRUE(wire_->registers.empty()) << "never at once";

  scheduler_->Advance(seconds(2));

  ASSERT_EQ(wire_->registers.size(), 1U);
  EXPECT_EQ(wire_->registers.front().request.registration_id(), id);
  EXPECT_EQ(wire_->registers.front().request.reconnect_attempt(), 1U);
}

TEST_F(WorkerClientTest, ANewSessionNamesTheOneBeforeAndWhatItHolds) {
  BringUp({Grant("a")}, 10);
  const std::string instance = client_->instance_id();
  scheduler_->Advance(seconds(1));
  Refuse(wire_->reports, Failure(wire::REJECT_REASON_SESSION_EXPIRED));

  scheduler_->Advance(seconds(2));

  ASSERT_EQ(wire_->registers.size(), 1U);
  const auto& request = wire_->registers.front().request;
  EXPECT_EQ(request.instance_id(), instance);
  EXPECT_EQ(request.previous_session_id(), "s1");
  EXPECT_EQ(request.last_log_id(), "log-1");
  EXPECT_EQ(request.last_ownership_epoch(), kEpoch);
  EXPECT_EQ(request.last_version(), 10U);
}

TEST_F(WorkerClientTest, TheStreamAndTheReportsOfAnEndedSessionStop) {
  BringUp({Grant("a")});
  EndStream(Failure(wire::REJECT_REASON_SESSION_SUPERSEDED));
  EXPECT_EQ(states_.back(), LifecycleState::kReconnecting);

  scheduler_->Advance(milliseconds(1'500));

  EXPECT_TRUE(wire_->reports.empty());
  EXPECT_FALSE(Stream().alive);
  ASSERT_EQ(wire_->registers.size(), 1U);
}

TEST_F(WorkerClientTest, GoesOnWithTheViewOfAnEndedSessionUntilItsEnd) {
  BringUp({Grant("a")}, 10, 30);
  scheduler_->Advance(seconds(1));
  Refuse(wire_->reports, Failure(wire::REJECT_REASON_SESSION_UNKNOWN));

  EXPECT_TRUE(Reserve()) << "ownership is the worker's, not the session's";
  scheduler_->Advance(seconds(29));

  EXPECT_FALSE(Reserve()) << "valid_until";
}

TEST_F(WorkerClientTest, EveryReasonThatEndsASessionMakesItRegisterAnew) {
  for (const wire::RejectReason reason : {wire::REJECT_REASON_SESSION_UNKNOWN, wire::REJECT_REASON_SESSION_SUPERSEDED,
                                          wire::REJECT_REASON_SESSION_EXPIRED, wire::REJECT_REASON_SESSION_CLOSED,
                                          wire::REJECT_REASON_EPOCH_STALE, wire::REJECT_REASON_EPOCH_AHEAD}) {
    *wire_ = FakeWire();
    NewClient();
    BringUp({});
    scheduler_->Advance(seconds(1));
    Refuse(wire_->reports, Failure(reason));
    EXPECT_TRUE(wire_->registers.empty()) << "never at once";

    scheduler_->Advance(seconds(2));

    EXPECT_EQ(wire_->registers.size(), 1U) << wire::RejectReason_Name(reason);
  }
}

TEST_F(WorkerClientTest, WhatIsFinalIsNotTriedAgain) {
  for (const wire::RejectReason reason :
       {wire::REJECT_REASON_PROTOCOL_VERSION, wire::REJECT_REASON_IDENTITY_MISMATCH, wire::REJECT_REASON_MALFORMED}) {
    *wire_ = FakeWire();
    end_.reset();
    NewClient();
    client_->Start();

    Refuse(wire_->registers, Failure(reason));
    scheduler_->Advance(seconds(600));

    EXPECT_EQ(end_, session::SessionEnd::kRefusedForGood) << wire::RejectReason_Name(reason);
    EXPECT_TRUE(wire_->registers.empty());
  }
}

TEST_F(WorkerClientTest, WaitsRetryAfterWhenItIsTurnedAway) {
  client_->Start();
  Refuse(wire_->registers, Refusal(absl::StatusCode::kResourceExhausted, wire::REJECT_REASON_OVERLOADED, 9));

  scheduler_->Advance(milliseconds(8'999));
  EXPECT_TRUE(wire_->registers.empty());
  scheduler_->Advance(milliseconds(1));

  EXPECT_EQ(wire_->registers.size(), 1U);
}

TEST_F(WorkerClientTest, WithoutAnyAnswerForSessionTtlItRegistersAnew) {
  BringUp({});
  for (int i = 0; i < 20; ++i) {
    scheduler_->Advance(seconds(1));
    while (!wire_->reports.empty()) Refuse(wire_->reports, Unreachable());
  }

  EXPECT_EQ(wire_->registers.size(), 1U);
}

TEST_F(WorkerClientTest, AnAnswerThatMakesNoSenseOpensNoSession) {
  client_->Start();
  wire::RegisterWorkerResponse answer = Registration("s1");
  answer.clear_server_time();

  Answer(wire_->registers, CallResult(), answer);

  EXPECT_TRUE(wire_->streams.empty());
  scheduler_->Advance(seconds(2));
  EXPECT_EQ(wire_->registers.size(), 1U);
}

TEST_F(WorkerClientTest, OnADrainNoticeItTakesNothingNewAndGoesOnReporting) {
  BringUp({Grant("a")});
  std::optional<Lease> running = Reserve();
  ASSERT_TRUE(running);
  wire::SnapshotUpdate notice;
  notice.mutable_drain()->set_reason(wire::DRAIN_REASON_OPERATOR);
  const int reads = Stream().reads;

  Push(notice);

  EXPECT_FALSE(Reserve());
  EXPECT_EQ(Stream().reads, reads + 1) << "it goes on reading";
  EXPECT_EQ(states_.back(), LifecycleState::kDraining);
  scheduler_->Advance(seconds(1));
  ASSERT_EQ(wire_->reports.size(), 1U);
  EXPECT_EQ(wire_->reports.front().request.counters_size(), 1);
  EXPECT_FALSE(wire_->reports.front().request.draining()) << "it did not ask for it";
}

TEST_F(WorkerClientTest, TheStateDrainingInAnyAnswerIsADrain) {
  BringUp({Grant("a")});
  scheduler_->Advance(seconds(1));

  AnswerReport(wire::SESSION_STATE_DRAINING);

  EXPECT_FALSE(Reserve());
  EXPECT_EQ(client_->state(), LifecycleState::kDraining);
}

TEST_F(WorkerClientTest, AfterADrainTheGateOpensWithTheNextSessionsFirstView) {
  BringUp({Grant("a")}, 10, 300);
  scheduler_->Advance(seconds(1));
  AnswerReport(wire::SESSION_STATE_DRAINING);
  scheduler_->Advance(seconds(1));
  AnswerReport(wire::SESSION_STATE_CLOSED);
  scheduler_->Advance(seconds(2));
  AnswerRegister("s2");
  EXPECT_FALSE(Reserve()) << "the view that it holds is of the session that was drained";

  Push(Full(kEpoch, 11, 300, {Grant("a")}));

  EXPECT_TRUE(Reserve());
}

TEST_F(WorkerClientTest, ItsOwnDrainSaysSoAndEndsWhenTheControllerSaysClosed) {
  BringUp({Grant("a")});

  client_->Drain(seconds(20));

  EXPECT_FALSE(Reserve());
  ASSERT_EQ(wire_->reports.size(), 1U) << "said at once";
  EXPECT_TRUE(wire_->reports.front().request.draining());
  AnswerReport(wire::SESSION_STATE_DRAINING);
  EXPECT_FALSE(end_);
  scheduler_->Advance(seconds(1));
  AnswerReport(wire::SESSION_STATE_CLOSED);
  EXPECT_EQ(end_, session::SessionEnd::kDrained);
  scheduler_->Advance(seconds(600));
  EXPECT_TRUE(wire_->registers.empty());
}

TEST_F(WorkerClientTest, ItsOwnDrainEndsAtTheBoundWithoutAnyWord) {
  BringUp({Grant("a")});
  client_->Drain(seconds(20));

  for (int i = 0; i < 20; ++i) {
    scheduler_->Advance(seconds(1));
    while (!wire_->reports.empty()) Refuse(wire_->reports, Unreachable());
  }

  EXPECT_EQ(end_, session::SessionEnd::kDrainTimedOut);
}

TEST_F(WorkerClientTest, StopEndsEverythingAndSaysNothing) {
  BringUp({Grant("a")});
  const std::size_t calls = calls_.size();

  client_->Stop();
  scheduler_->Advance(seconds(600));

  EXPECT_EQ(end_, session::SessionEnd::kStopped);
  EXPECT_FALSE(Stream().alive);
  EXPECT_EQ(calls_.size(), calls);
  EXPECT_TRUE(wire_->reports.empty());
}

TEST_F(WorkerClientTest, MayBeDestroyedWithCallsInFlight) {
  BringUp({Grant("a")});
  scheduler_->Advance(seconds(1));
  ASSERT_FALSE(wire_->reports.empty());
  EndStream(Failure(wire::REJECT_REASON_SESSION_CLOSED));

  client_.reset();
  scheduler_->Advance(seconds(60));

  EXPECT_TRUE(wire_->registers.empty());
}

TEST_F(WorkerClientTest, OutcomesGoOutAfterASecondOrAThousandAndKeepTheirNumberUntilAnswered) {
  BringUp({Grant("a")});
  wire::Outcome outcome;
  outcome.set_proxy_id("a");
  outcome.set_error(wire::OUTCOME_ERROR_NONE);
  client_->PushOutcome(outcome);
  EXPECT_TRUE(wire_->outcomes.empty());
  scheduler_->Advance(seconds(1));
  ASSERT_EQ(wire_->outcomes.size(), 1U);
  EXPECT_EQ(wire_->outcomes.front().request.sequence(), 1U);

  // One batch is outstanding at a time, whatever waits behind it.
  for (int i = 0; i < 1'500; ++i) client_->PushOutcome(outcome);
  scheduler_->RunPosted();
  EXPECT_EQ(wire_->outcomes.size(), 1U);
  Refuse(wire_->outcomes, Unreachable());
  scheduler_->Advance(seconds(2));
  ASSERT_EQ(wire_->outcomes.size(), 1U);
  EXPECT_EQ(wire_->outcomes.front().request.sequence(), 1U) << "the same batch";
  EXPECT_EQ(wire_->outcomes.front().request.outcomes_size(), 1);

  wire::ReportOutcomesResponse answer;
  answer.set_accepted_sequence(1);
  answer.set_session_state(wire::SESSION_STATE_ACTIVE);
  Answer(wire_->outcomes, CallResult(), answer);
  ASSERT_EQ(wire_->outcomes.size(), 1U) << "a thousand wait: at once";
  EXPECT_EQ(wire_->outcomes.front().request.sequence(), 2U);
  EXPECT_EQ(wire_->outcomes.front().request.outcomes_size(), 1'000);
}

TEST_F(WorkerClientTest, ABatchThatTheControllerHasIsNotSentAgainInTheNextSession) {
  BringUp({Grant("a")});
  wire::Outcome outcome;
  outcome.set_error(wire::OUTCOME_ERROR_NONE);
  client_->PushOutcome(outcome);
  scheduler_->Advance(seconds(1));
  ASSERT_EQ(wire_->outcomes.front().request.sequence(), 1U);
  Refuse(wire_->reports, Failure(wire::REJECT_REASON_SESSION_EXPIRED));
  wire_->outcomes.clear();
  scheduler_->Advance(seconds(2));
  wire::RegisterWorkerResponse answer = Registration("s2");
  answer.set_last_outcome_sequence(1);
  Answer(wire_->registers, CallResult(), answer);

  client_->PushOutcome(outcome);
  scheduler_->Advance(seconds(1));

  ASSERT_EQ(wire_->outcomes.size(), 1U);
  EXPECT_EQ(wire_->outcomes.front().request.sequence(), 2U);
  EXPECT_EQ(wire_->outcomes.front().request.session_id(), "s2");
}

}  // namespace
}  // namespace holdfast::client
