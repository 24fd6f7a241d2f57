// Registering, reconnecting, leaving: who the checker says it is, and what it does when a session is over.

#include "tests/client/checker_client_fixture.h"

namespace holdfast::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST_F(CheckerClientTest, TheRegistrationSaysWhoItIsAndWhatItCanDo) {
  settings_.zone = "z1";
  settings_.labels = {{"rack", "7"}};
  settings_.resolves_secret_refs = true;
  NewClient();

  client_->Start();

  ASSERT_EQ(wire_->registers.size(), 1U);
  const auto& request = wire_->registers.front().request;
  EXPECT_EQ(request.checker_id(), "c1");
  EXPECT_EQ(request.instance_id(), client_->instance_id());
  EXPECT_EQ(request.zone(), "z1");
  EXPECT_EQ(request.labels().at("rack"), "7");
  EXPECT_EQ(request.max_concurrency(), 10U);
  EXPECT_EQ(request.supported_protocol_version(), 1U);
  EXPECT_EQ(request.reconnect_attempt(), 0U);
  EXPECT_THAT(request.levels(), ElementsAre(wire::CHECK_LEVEL_BASIC, wire::CHECK_LEVEL_TARGET));
  EXPECT_THAT(request.capabilities(), ElementsAre(wire::CHECKER_CAPABILITY_SECRET_REF));
}

TEST_F(CheckerClientTest, EachObjectIsAnotherInstance) {
  const std::string first = client_->instance_id();

  NewClient();

  EXPECT_NE(client_->instance_id(), first);
}

TEST_F(CheckerClientTest, ARegistrationWithoutAnAnswerIsTriedAgainWithBackoffAndCounted) {
  client_->Start();
  Refuse(wire_->registers, Unreachable());
  EXPECT_TRUE(wire_->registers.empty()) << "never at once";

  scheduler_->Advance(milliseconds(799));
  EXPECT_TRUE(wire_->registers.empty()) << "1 s, 20 % less at the most";
  scheduler_->Advance(milliseconds(401));

  ASSERT_EQ(wire_->registers.size(), 1U);
  EXPECT_EQ(wire_->registers.front().request.reconnect_attempt(), 1U);
}

TEST_F(CheckerClientTest, IsActiveOnceTheControllerSaysThatItsStreamIsAttached) {
  client_->Start();
  AnswerRegister("s1");
  ASSERT_EQ(wire_->streams.size(), 1U);
  EXPECT_EQ(Stream().request.checker_id(), "c1");
  EXPECT_EQ(Stream().request.session_id(), "s1");
  scheduler_->Advance(seconds(1));

  AnswerReport(wire::SESSION_STATE_HANDSHAKING);
  EXPECT_EQ(client_->state(), LifecycleState::kHandshaking);
  scheduler_->Advance(seconds(1));
  AnswerReport(wire::SESSION_STATE_ACTIVE);

  EXPECT_EQ(client_->state(), LifecycleState::kActive);
}

TEST_F(CheckerClientTest, IsActiveWithItsFirstTask) {
  client_->Start();
  AnswerRegister("s1");

  PushTask("t1");

  EXPECT_EQ(client_->state(), LifecycleState::kActive);
  EXPECT_THAT(run_, ElementsAre("t1"));
}

TEST_F(CheckerClientTest, ARefusedSessionEndsAllItsTasksAndAnotherOneInheritsNothing) {
  settings_.max_concurrency = 2;
  NewClient();
  BringUp();
  for (const char* id : {"t1", "t2", "t3"}) PushTask(id);
  scheduler_->Advance(seconds(1));

  Refuse(wire_->reports, Failure(wire::REJECT_REASON_SESSION_EXPIRED));

  EXPECT_THAT(cancelled_, ElementsAre("t1", "t2")) << "t3 was never begun";
  EXPECT_FALSE(Stream().alive);
  EXPECT_EQ(states_.back(), LifecycleState::kReconnecting);
  scheduler_->Advance(seconds(2));
  ASSERT_EQ(wire_->registers.size(), 1U);
  EXPECT_EQ(wire_->registers.front().request.instance_id(), client_->instance_id());
  AnswerRegister("s2");
  Observe("t1");
  scheduler_->Advance(seconds(1));
  EXPECT_EQ(Report().session_id(), "s2");
  EXPECT_EQ(Report().sequence(), 1U) << "of the session";
  EXPECT_THAT(TasksOf(Report()), IsEmpty());
  EXPECT_EQ(Report().running(), 0U);
}

TEST_F(CheckerClientTest, EveryReasonThatEndsASessionMakesItRegisterAnew) {
  for (const wire::RejectReason reason : {wire::REJECT_REASON_SESSION_UNKNOWN, wire::REJECT_REASON_SESSION_SUPERSEDED,
                                          wire::REJECT_REASON_SESSION_EXPIRED, wire::REJECT_REASON_SESSION_CLOSED}) {
    *wire_ = FakeCheckerWire();
    NewClient();
    BringUp();
    EndStream(Failure(reason));
    EXPECT_TRUE(wire_->registers.empty()) << "never at once";

    scheduler_->Advance(seconds(2));

    EXPECT_EQ(wire_->registers.size(), 1U) << wire::RejectReason_Name(reason);
  }
}

TEST_F(CheckerClientTest, WhatIsFinalIsNotTriedAgainAndSaysWhy) {
  for (const wire::RejectReason reason :
       {wire::REJECT_REASON_PROTOCOL_VERSION, wire::REJECT_REASON_IDENTITY_MISMATCH, wire::REJECT_REASON_MALFORMED}) {
    *wire_ = FakeCheckerWire();
    end_.reset();
    NewClient();
    client_->Start();

    Refuse(wire_->registers, Failure(reason));
    scheduler_->Advance(seconds(600));

    EXPECT_EQ(end_, session::SessionEnd::kRefusedForGood) << wire::RejectReason_Name(reason);
    EXPECT_EQ(why_, wire::RejectReason_Name(reason) + ": said by the test");
    EXPECT_TRUE(wire_->registers.empty());
  }
}

TEST_F(CheckerClientTest, AReportThatIsRefusedForGoodEndsItAndSaysWhy) {
  BringUp();
  scheduler_->Advance(seconds(1));

  Refuse(wire_->reports, Failure(wire::REJECT_REASON_IDENTITY_MISMATCH));

  EXPECT_EQ(end_, session::SessionEnd::kRefusedForGood);
  EXPECT_EQ(why_, "REJECT_REASON_IDENTITY_MISMATCH: said by the test");
}

TEST_F(CheckerClientTest, AnAnswerThatMakesNoSenseOpensNoSession) {
  client_->Start();
  wire::RegisterCheckerResponse answer = Registration("s1");
  answer.clear_session_ttl();

  Answer(wire_->registers, CallResult(), answer);

  EXPECT_TRUE(wire_->streams.empty());
  scheduler_->Advance(seconds(2));
  EXPECT_EQ(wire_->registers.size(), 1U);
}

TEST_F(CheckerClientTest, WithoutAnyAnswerForSessionTtlItRegistersAnewAndItsTasksEnd) {
  BringUp();
  PushTask("t1", wire::CHECK_LEVEL_BASIC, 600);

  for (int i = 0; i < 20; ++i) {
    scheduler_->Advance(seconds(1));
    while (!wire_->reports.empty()) Refuse(wire_->reports, Unreachable());
  }

  EXPECT_EQ(wire_->registers.size(), 1U);
  EXPECT_THAT(cancelled_, ElementsAre("t1"));
}

TEST_F(CheckerClientTest, OnADrainNoticeItTakesNothingNewAndFinishesWhatRuns) {
  BringUp();
  PushTask("t1");
  const int reads = Stream().reads;

  PushDrain();
  PushTask("t2");

  EXPECT_EQ(client_->state(), LifecycleState::kDraining);
  EXPECT_THAT(run_, ElementsAre("t1"));
  EXPECT_THAT(fates_.back(), Pair("t2", TaskFate::kNotTaken));
  EXPECT_EQ(Stream().reads, reads + 2) << "it goes on reading";
  Observe("t1");
  EXPECT_THAT(TasksOf(Report()), ElementsAre("t1"));
  EXPECT_FALSE(Report().draining()) << "it did not ask for it";
  AnswerReport(wire::SESSION_STATE_CLOSED);
  scheduler_->Advance(seconds(2));
  EXPECT_EQ(wire_->registers.size(), 1U) << "it comes back";
}

TEST_F(CheckerClientTest, TheStateDrainingInAnAnswerIsADrain) {
  BringUp();
  scheduler_->Advance(seconds(1));

  AnswerReport(wire::SESSION_STATE_DRAINING);
  PushTask("t1");

  EXPECT_EQ(client_->state(), LifecycleState::kDraining);
  EXPECT_THAT(run_, IsEmpty());
}

TEST_F(CheckerClientTest, ItsOwnDrainSaysSoFinishesWhatItTookAndEndsWhenTheControllerSaysClosed) {
  settings_.max_concurrency = 1;
  NewClient();
  BringUp();
  PushTask("t1");
  PushTask("t2");

  client_->Drain(seconds(20));
  ASSERT_EQ(wire_->reports.size(), 1U) << "said at once";
  EXPECT_TRUE(Report().draining());
  EXPECT_EQ(Report().running(), 1U);
  AnswerReport(wire::SESSION_STATE_DRAINING);
  PushTask("t3");
  Observe("t1");
  AnswerReport(wire::SESSION_STATE_DRAINING);
  Observe("t2");
  EXPECT_FALSE(end_);
  AnswerReport(wire::SESSION_STATE_CLOSED);

  EXPECT_THAT(run_, ElementsAre("t1", "t2"));
  EXPECT_THAT(cancelled_, IsEmpty());
  EXPECT_EQ(end_, session::SessionEnd::kDrained);
  scheduler_->Advance(seconds(600));
  EXPECT_TRUE(wire_->registers.empty());
}

TEST_F(CheckerClientTest, ItsOwnDrainEndsAtTheBoundWithoutAnyWord) {
  BringUp();
  PushTask("t1", wire::CHECK_LEVEL_BASIC, 600);
  client_->Drain(seconds(20));

  for (int i = 0; i < 20; ++i) {
    scheduler_->Advance(seconds(1));
    while (!wire_->reports.empty()) Refuse(wire_->reports, Unreachable());
  }

  EXPECT_EQ(end_, session::SessionEnd::kDrainTimedOut);
  EXPECT_THAT(cancelled_, ElementsAre("t1"));
}

TEST_F(CheckerClientTest, StopEndsEverythingAndSaysNothing) {
  BringUp();
  PushTask("t1");
  const std::size_t calls = calls_.size();

  client_->Stop();
  scheduler_->Advance(seconds(600));

  EXPECT_EQ(end_, session::SessionEnd::kStopped);
  EXPECT_FALSE(Stream().alive);
  EXPECT_THAT(cancelled_, ElementsAre("t1"));
  EXPECT_EQ(calls_.size(), calls);
}

TEST_F(CheckerClientTest, MayBeDestroyedWithCallsInFlightAndTasksUnderWay) {
  BringUp();
  PushTask("t1");
  Observe("t1");
  PushTask("t2");
  ASSERT_FALSE(wire_->reports.empty());
  client_->Report(wire::HealthObservation());  // posted, not taken yet

  client_.reset();
  scheduler_->Advance(seconds(60));

  EXPECT_THAT(cancelled_, IsEmpty()) << "it says nothing";
  EXPECT_THAT(losses_, IsEmpty());
  EXPECT_TRUE(wire_->registers.empty());
}

}  // namespace
}  // namespace holdfast::client
