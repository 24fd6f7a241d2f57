// The tasks: how they come, run, wait and end, and what becomes of them when their stream does not last.

#include "tests/client/checker_client_fixture.h"

namespace holdfast::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST_F(CheckerClientTest, AStreamThatBreaksIsWatchedAgainInTheSameSessionAndItsTasksGoOn) {
  BringUp();
  PushTask("t1");
  EndStream(Unreachable());
  EXPECT_EQ(wire_->streams.size(), 1U) << "never at once";

  Live(2);

  ASSERT_EQ(wire_->streams.size(), 2U);
  EXPECT_EQ(Stream().request.session_id(), "s1");
  EXPECT_THAT(cancelled_, IsEmpty());
  Observe("t1");
  EXPECT_THAT(TasksOf(Report()), ElementsAre("t1"));
}

TEST_F(CheckerClientTest, AStreamThatEndsWellIsWatchedAgainToo) {
  BringUp();

  EndStream(CallResult());
  Live(2);

  EXPECT_EQ(wire_->streams.size(), 2U);
  EXPECT_EQ(client_->state(), LifecycleState::kActive);
}

TEST_F(CheckerClientTest, AReplacedStreamIsWatchedAgainAfterRetryAfter) {
  BringUp();
  EndStream(Refusal(absl::StatusCode::kAborted, wire::REJECT_REASON_STREAM_REPLACED, 5));

  Live(4);
  EXPECT_EQ(wire_->streams.size(), 1U);
  Live(1);

  EXPECT_EQ(wire_->streams.size(), 2U);
}

TEST_F(CheckerClientTest, AnUpdateWithNothingSetMakesItWatchAgain) {
  BringUp();

  Push(wire::TaskUpdate());

  EXPECT_FALSE(Stream().alive);
  Live(2);
  EXPECT_EQ(wire_->streams.size(), 2U);
}

TEST_F(CheckerClientTest, AStreamThatWasDroppedIsNotListenedToAnyMore) {
  BringUp();
  const auto dropped = wire_->streams.back();
  // The dropped one speaks once more before it is destroyed.
  dropped->events.on_update(wire::TaskUpdate());
  wire::TaskUpdate late;
  late.mutable_task()->set_task_id("t1");

  dropped->events.on_update(late);
  scheduler_->RunPosted();

  EXPECT_THAT(fates_, IsEmpty());
}

TEST_F(CheckerClientTest, ATaskThatComesTwiceRunsOnce) {
  BringUp();
  PushTask("t1");

  PushTask("t1");
  Observe("t1");
  PushTask("t1");  // its answer is still on the way

  EXPECT_THAT(run_, ElementsAre("t1"));
  EXPECT_THAT(fates_, ElementsAre(Pair("t1", TaskFate::kStarted), Pair("t1", TaskFate::kRepeated),
                                  Pair("t1", TaskFate::kAnswered), Pair("t1", TaskFate::kRepeated)));
  AnswerReport();
  PushTask("t1");
  EXPECT_THAT(run_, ElementsAre("t1", "t1")) << "the controller has the answer and asks anew";
}

TEST_F(CheckerClientTest, WhatIsAboveMaxConcurrencyWaitsItsTurnAndIsCounted) {
  settings_.max_concurrency = 2;
  NewClient();
  BringUp();
  for (const char* id : {"t1", "t2", "t3", "t4"}) PushTask(id);
  EXPECT_THAT(run_, ElementsAre("t1", "t2"));
  scheduler_->Advance(seconds(1));
  EXPECT_EQ(Report().running(), 2U);
  EXPECT_EQ(Report().queued_request_count(), 2U);
  AnswerReport();

  Observe("t2");

  EXPECT_THAT(run_, ElementsAre("t1", "t2", "t3"));
  EXPECT_EQ(Report().running(), 2U);
  EXPECT_EQ(Report().queued_request_count(), 1U);
}

TEST_F(CheckerClientTest, ATaskThatWaitsIsTakenBackWithoutAWordToTheHandler) {
  settings_.max_concurrency = 1;
  NewClient();
  BringUp();
  for (const char* id : {"t1", "t2", "t3"}) PushTask(id);

  PushCancel("t2");
  Observe("t1");

  EXPECT_THAT(run_, ElementsAre("t1", "t3"));
  EXPECT_THAT(cancelled_, IsEmpty());
}

TEST_F(CheckerClientTest, ATaskThatRunsIsTakenBackAtTheHandlerAndItsSlotIsFree) {
  settings_.max_concurrency = 1;
  NewClient();
  BringUp();
  PushTask("t1");
  PushTask("t2");

  PushCancel("t1");
  Observe("t1");

  EXPECT_THAT(cancelled_, ElementsAre("t1"));
  EXPECT_THAT(run_, ElementsAre("t1", "t2"));
  EXPECT_TRUE(wire_->reports.empty()) << "the answer to a task that was taken back is of no use";
  EXPECT_THAT(losses_, ElementsAre(Pair("t1", ObservationLoss::kNoTask)));
}

TEST_F(CheckerClientTest, ACancelOfWhatIsNotHereIsNothing) {
  BringUp();

  PushCancel("never seen");

  EXPECT_THAT(fates_, IsEmpty());
  EXPECT_THAT(cancelled_, IsEmpty());
}

TEST_F(CheckerClientTest, ATaskWhoseTimeoutIsOverIsForgotten) {
  BringUp();
  PushTask("t1", wire::CHECK_LEVEL_BASIC, 5);
  Live(4);
  EXPECT_THAT(cancelled_, IsEmpty());

  Live(1);

  EXPECT_THAT(cancelled_, ElementsAre("t1"));
  EXPECT_THAT(fates_.back(), Pair("t1", TaskFate::kTimedOut));
  Observe("t1");
  EXPECT_THAT(losses_, ElementsAre(Pair("t1", ObservationLoss::kNoTask)));
  Live(1);
  PushTask("t1");
  EXPECT_THAT(run_, ElementsAre("t1", "t1")) << "nothing of it is left";
}

TEST_F(CheckerClientTest, TheTimeoutCountsFromReceiptAlsoWhileATaskWaits) {
  settings_.max_concurrency = 1;
  NewClient();
  BringUp();
  PushTask("t1", wire::CHECK_LEVEL_BASIC, 5);
  PushTask("t2", wire::CHECK_LEVEL_BASIC, 3);
  PushTask("t3", wire::CHECK_LEVEL_BASIC, 9);

  Live(5);

  EXPECT_THAT(run_, ElementsAre("t1", "t3"));
  EXPECT_THAT(cancelled_, ElementsAre("t1"));
}

TEST_F(CheckerClientTest, ALevelThatItDoesNotDoIsInconclusiveAtOnce) {
  BringUp();

  PushTask("t1", static_cast<wire::CheckLevel>(77));

  EXPECT_THAT(run_, IsEmpty());
  ASSERT_EQ(wire_->reports.size(), 1U);
  ASSERT_EQ(Report().observations_size(), 1);
  EXPECT_EQ(Report().observations(0).task_id(), "t1");
  EXPECT_EQ(Report().observations(0).proxy_id(), "proxy-t1");
  EXPECT_EQ(Report().observations(0).level(), 77) << "as it came";
  EXPECT_EQ(Report().observations(0).verdict(), wire::VERDICT_INCONCLUSIVE);
  EXPECT_THAT(fates_, ElementsAre(Pair("t1", TaskFate::kInconclusive)));
}

TEST_F(CheckerClientTest, ATaskWithoutATimeoutIsInconclusiveAtOnce) {
  BringUp();

  PushTask("t1", wire::CHECK_LEVEL_BASIC, 0);

  EXPECT_THAT(run_, IsEmpty());
  ASSERT_EQ(wire_->reports.size(), 1U);
  EXPECT_EQ(Report().observations(0).verdict(), wire::VERDICT_INCONCLUSIVE);
}

TEST_F(CheckerClientTest, ATaskWithoutAnIdCanNotBeAnsweredAndIsNotTaken) {
  BringUp();

  PushTask("");

  EXPECT_THAT(run_, IsEmpty());
  EXPECT_THAT(fates_, ElementsAre(Pair("", TaskFate::kNotTaken)));
  EXPECT_TRUE(wire_->reports.empty());
}

}  // namespace
}  // namespace holdfast::client
