// The reports: when they go out, under which number, and what becomes of them when they are refused or get no answer.

#include "tests/client/checker_client_fixture.h"

namespace holdfast::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TEST_F(CheckerClientTest, AnEmptyReportIsTheHeartbeatOfEachInterval) {
  BringUp();

  for (std::uint64_t sequence = 2; sequence < 5; ++sequence) {
    scheduler_->Advance(milliseconds(999));
    EXPECT_TRUE(wire_->reports.empty());
    scheduler_->Advance(milliseconds(1));
    ASSERT_EQ(wire_->reports.size(), 1U);
    EXPECT_EQ(Report().checker_id(), "c1");
    EXPECT_EQ(Report().session_id(), "s1");
    EXPECT_EQ(Report().sequence(), sequence);
    EXPECT_EQ(Report().observations_size(), 0);
    AnswerReport();
  }
}

TEST_F(CheckerClientTest, TheIntervalOfTheSettingsStandsAboveTheControllers) {
  settings_.report_interval = milliseconds(200);
  NewClient();
  client_->Start();
  AnswerRegister("s1");

  scheduler_->Advance(milliseconds(200));

  EXPECT_EQ(wire_->reports.size(), 1U);
}

TEST_F(CheckerClientTest, AnObservationGoesOutAtOnceAndWhatComesMeanwhileGoesTogether) {
  BringUp();
  for (const char* id : {"t1", "t2", "t3"}) PushTask(id);

  Observe("t1");
  ASSERT_EQ(wire_->reports.size(), 1U) << "at once";
  Observe("t2");
  Observe("t3");

  EXPECT_EQ(wire_->reports.size(), 1U) << "one in flight at a time";
  EXPECT_THAT(TasksOf(Report()), ElementsAre("t1"));
  AnswerReport();
  ASSERT_EQ(wire_->reports.size(), 1U);
  EXPECT_THAT(TasksOf(Report()), ElementsAre("t2", "t3"));
  AnswerReport();
  EXPECT_TRUE(wire_->reports.empty()) << "the next heartbeat has its time";
}

TEST_F(CheckerClientTest, WhatAnObservationSaysOfItsTaskIsTheTasksOwn) {
  BringUp();
  wire::TaskUpdate update;
  wire::CheckTask& task = *update.mutable_task();
  task.set_task_id("t1");
  task.set_proxy_id("p1");
  task.set_level(wire::CHECK_LEVEL_TARGET);
  task.set_routing_id("r1");
  task.mutable_timeout()->set_seconds(10);
  Push(update);
  wire::HealthObservation observation;
  observation.set_task_id("t1");
  observation.set_proxy_id("another one");
  observation.set_verdict(wire::VERDICT_FAIL);
  observation.set_http_status(503);

  client_->Report(observation);
  scheduler_->RunPosted();

  const wire::HealthObservation& sent = Report().observations(0);
  EXPECT_EQ(sent.proxy_id(), "p1");
  EXPECT_EQ(sent.level(), wire::CHECK_LEVEL_TARGET);
  EXPECT_EQ(sent.routing_id(), "r1");
  EXPECT_EQ(sent.verdict(), wire::VERDICT_FAIL);
  EXPECT_EQ(sent.http_status(), 503U);
}

TEST_F(CheckerClientTest, NoMoreThanMaxBatchGoInOneReport) {
  max_batch_ = 2;
  BringUp();
  for (const char* id : {"t1", "t2", "t3"}) PushTask(id);
  for (const char* id : {"t1", "t2", "t3"}) {
    wire::HealthObservation observation;
    observation.set_task_id(id);
    client_->Report(observation);
  }

  scheduler_->RunPosted();

  EXPECT_THAT(TasksOf(Report()), ElementsAre("t1", "t2"));
  AnswerReport();
  EXPECT_THAT(TasksOf(Report()), ElementsAre("t3"));
}

TEST_F(CheckerClientTest, ATaskIsAnsweredOnce) {
  BringUp();
  PushTask("t1");

  Observe("t1");
  Observe("t1");
  Observe("never given");

  AnswerReport();
  EXPECT_TRUE(wire_->reports.empty());
  EXPECT_THAT(losses_,
              ElementsAre(Pair("t1", ObservationLoss::kNoTask), Pair("never given", ObservationLoss::kNoTask)));
}

TEST_F(CheckerClientTest, AReportWithoutAnAnswerIsRepeatedWordForWordUnderItsNumber) {
  BringUp();
  PushTask("t1");
  PushTask("t2");
  Observe("t1");
  const wire::ReportObservationsRequest first = Report();

  Refuse(wire_->reports, {.code = absl::StatusCode::kDeadlineExceeded, .message = "lost"});
  Observe("t2");
  EXPECT_TRUE(wire_->reports.empty()) << "never at once, whatever waits";
  scheduler_->Advance(seconds(1));

  ASSERT_EQ(wire_->reports.size(), 1U);
  EXPECT_EQ(Report().SerializeAsString(), first.SerializeAsString());
  AnswerReport();
  ASSERT_EQ(wire_->reports.size(), 1U);
  EXPECT_EQ(Report().sequence(), first.sequence() + 1);
  EXPECT_THAT(TasksOf(Report()), ElementsAre("t2"));
}

TEST_F(CheckerClientTest, ADrainThatFallsOnARepeatedReportIsSaidByTheNext) {
  BringUp();
  scheduler_->Advance(seconds(1));
  client_->Drain(seconds(60));
  Refuse(wire_->reports, Unreachable());
  scheduler_->Advance(seconds(1));
  EXPECT_FALSE(Report().draining()) << "the same content";

  AnswerReport();

  ASSERT_EQ(wire_->reports.size(), 1U);
  EXPECT_TRUE(Report().draining());
}

TEST_F(CheckerClientTest, AnOverloadedControllerIsGivenTheTimeItAskedForAndThenTheSame) {
  BringUp();
  PushTask("t1");
  Observe("t1");
  const std::uint64_t sequence = Report().sequence();
  Refuse(wire_->reports, Refusal(absl::StatusCode::kResourceExhausted, wire::REJECT_REASON_OVERLOADED, 4));

  scheduler_->Advance(milliseconds(3'999));
  EXPECT_TRUE(wire_->reports.empty());
  scheduler_->Advance(milliseconds(1));

  ASSERT_EQ(wire_->reports.size(), 1U);
  EXPECT_EQ(Report().sequence(), sequence);
  EXPECT_THAT(TasksOf(Report()), ElementsAre("t1"));
}

TEST_F(CheckerClientTest, ASequenceThatIsRefusedIsLeftAndTheObservationsGoOutUnderTheNext) {
  for (const wire::RejectReason reason :
       {wire::REJECT_REASON_SEQUENCE_CONFLICT, wire::REJECT_REASON_SEQUENCE_REGRESSED}) {
    *wire_ = FakeCheckerWire();
    NewClient();
    BringUp();
    PushTask("t1");
    Observe("t1");
    const std::uint64_t sequence = Report().sequence();

    Refuse(wire_->reports, Refusal(absl::StatusCode::kAlreadyExists, reason));
    EXPECT_TRUE(wire_->reports.empty()) << "never at once";
    scheduler_->Advance(seconds(1));

    ASSERT_EQ(wire_->reports.size(), 1U);
    EXPECT_EQ(Report().sequence(), sequence + 1) << wire::RejectReason_Name(reason);
    EXPECT_THAT(TasksOf(Report()), ElementsAre("t1"));
  }
}

TEST_F(CheckerClientTest, OverTheLimitItSendsLess) {
  BringUp();
  for (const char* id : {"t1", "t2", "t3", "t4"}) PushTask(id);
  for (const char* id : {"t1", "t2", "t3", "t4"}) {
    wire::HealthObservation observation;
    observation.set_task_id(id);
    client_->Report(observation);
  }
  scheduler_->RunPosted();
  ASSERT_THAT(TasksOf(Report()), SizeIs(4));

  Refuse(wire_->reports, Refusal(absl::StatusCode::kResourceExhausted, wire::REJECT_REASON_LIMIT_EXCEEDED));
  scheduler_->Advance(seconds(1));

  EXPECT_THAT(TasksOf(Report()), ElementsAre("t1", "t2"));
  AnswerReport();
  EXPECT_THAT(TasksOf(Report()), ElementsAre("t3", "t4"));
}

TEST_F(CheckerClientTest, OneObservationThatIsOverTheLimitIsGivenUp) {
  BringUp();
  PushTask("t1");
  Observe("t1");

  Refuse(wire_->reports, Refusal(absl::StatusCode::kResourceExhausted, wire::REJECT_REASON_LIMIT_EXCEEDED));

  EXPECT_THAT(losses_, ElementsAre(Pair("t1", ObservationLoss::kRefused)));
}

TEST_F(CheckerClientTest, AMalformedReportIsNeverSentAgain) {
  BringUp();
  PushTask("t1");
  Observe("t1");
  const std::uint64_t sequence = Report().sequence();

  Refuse(wire_->reports, Refusal(absl::StatusCode::kInvalidArgument, wire::REJECT_REASON_MALFORMED));
  scheduler_->Advance(seconds(1));

  EXPECT_THAT(losses_, ElementsAre(Pair("t1", ObservationLoss::kRefused)));
  ASSERT_EQ(wire_->reports.size(), 1U) << "it goes on reporting";
  EXPECT_EQ(Report().sequence(), sequence + 1);
  EXPECT_THAT(TasksOf(Report()), IsEmpty());
}

TEST_F(CheckerClientTest, WhatTheControllerDidNotKnowIsTold) {
  BringUp();
  PushTask("t1");
  PushTask("t2");
  Observe("t1");
  AnswerReport();

  Observe("t2");
  AnswerReport(wire::SESSION_STATE_ACTIVE, {"t2"});

  EXPECT_THAT(losses_, ElementsAre(Pair("t2", ObservationLoss::kUnknown)));
}

TEST_F(CheckerClientTest, WhatWasNotAcceptedWhenItsSessionEndsIsLostAndSaid) {
  BringUp();
  PushTask("t1");
  PushTask("t2");
  Observe("t1");
  Observe("t2");

  EndStream(Failure(wire::REJECT_REASON_SESSION_SUPERSEDED));

  EXPECT_THAT(losses_,
              ElementsAre(Pair("t1", ObservationLoss::kSessionOver), Pair("t2", ObservationLoss::kSessionOver)));
}

TEST_F(CheckerClientTest, TheLateAnswerOfASessionThatIsOverChangesNothing) {
  BringUp();
  scheduler_->Advance(seconds(1));
  const auto late = wire_->reports.front();
  wire_->reports.clear();
  EndStream(Failure(wire::REJECT_REASON_SESSION_EXPIRED));
  scheduler_->Advance(seconds(2));
  AnswerRegister("s2");

  late.done(Failure(wire::REJECT_REASON_SESSION_EXPIRED), {});
  scheduler_->RunPosted();

  EXPECT_EQ(client_->session_id(), "s2");
}

}  // namespace
}  // namespace holdfast::client
