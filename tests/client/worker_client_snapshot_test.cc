// Watching, taking, acknowledging, reporting, cutting: what a worker does with what it is told.

#include "tests/client/worker_client_fixture.h"

namespace holdfast::client {
namespace {

TEST_F(WorkerClientTest, TakesTheFirstSnapshotAndAcknowledgesItsReference) {
  client_->Start();
  AnswerRegister("s1");
  ASSERT_EQ(wire_->streams.size(), 1U);
  EXPECT_EQ(Stream().request.session_id(), "s1");
  EXPECT_EQ(Stream().request.last_version(), 0U);
  const wire::SnapshotUpdate update = Full(kEpoch, 10, 30, {Grant("a")});

  Push(update);

  ASSERT_EQ(wire_->acks.size(), 1U);
  const auto& ack = wire_->acks.front().request;
  EXPECT_TRUE(ack.accepted());
  EXPECT_EQ(ack.version(), 10U);
  EXPECT_EQ(ack.ownership_epoch(), kEpoch);
  EXPECT_EQ(ack.checksum(), update.full().checksum());
  EXPECT_EQ(Stream().reads, 2);
  AnswerAck();
  EXPECT_EQ(client_->state(), LifecycleState::kActive);
}

TEST_F(WorkerClientTest, AnAckSaysThatNothingNewCanBeReservedOnWhatDrains) {
  BringUp({Grant("a")});
  ASSERT_TRUE(Reserve());

  Push(Delta(kEpoch, 10, 11, 30, {Grant("a", wire::GRANT_STATE_DRAINING)}, {},
             {Grant("a", wire::GRANT_STATE_DRAINING)}));

  ASSERT_EQ(wire_->acks.size(), 1U) << "the ACK is on its way";
  EXPECT_FALSE(Reserve());
}

TEST_F(WorkerClientTest, WhatLeavesTheViewIsClosedAndComesBackOpen) {
  BringUp({Grant("a"), Grant("b")});
  Push(Delta(kEpoch, 10, 11, 30, {}, {"a"}, {Grant("b")}));
  AnswerAck();
  const auto only_a = [](const GrantRow& row) { return row.id() == "a"; };
  EXPECT_FALSE(client_->traffic().Reserve(0, only_a));

  Push(Delta(kEpoch, 11, 12, 30, {Grant("a")}, {}, {Grant("a"), Grant("b")}));

  EXPECT_TRUE(client_->traffic().Reserve(0, only_a));
}

TEST_F(WorkerClientTest, AnAckAndAReportAreNeverInFlightTogether) {
  BringUp({Grant("a")});
  scheduler_->Advance(seconds(1));
  ASSERT_EQ(wire_->reports.size(), 1U);

  Push(Delta(kEpoch, 10, 11, 30, {Grant("b")}, {}, {Grant("a"), Grant("b")}));
  EXPECT_TRUE(wire_->acks.empty()) << "the report is still in flight";
  AnswerReport();
  ASSERT_EQ(wire_->acks.size(), 1U);
  scheduler_->Advance(seconds(5));
  EXPECT_TRUE(wire_->reports.empty()) << "the ACK is still in flight";
  AnswerAck();

  ASSERT_EQ(wire_->reports.size(), 1U);
  EXPECT_EQ(wire_->reports.front().request.snapshot_version(), 11U);
}

TEST_F(WorkerClientTest, ReportsCountWhatRunsUnderTheVersionOfTheView) {
  BringUp({Grant("a"), Grant("b"), Grant("c")});
  std::optional<Lease> active = client_->traffic().Reserve(0, [](const GrantRow& row) { return row.id() == "a"; });
  std::optional<Lease> reserved = client_->traffic().Reserve(0, [](const GrantRow& row) { return row.id() == "b"; });
  ASSERT_TRUE(active && reserved);
  active->Activate();
  Push(Delta(kEpoch, 10, 11, 30, {Grant("a", wire::GRANT_STATE_DRAINING)}, {"b"},
             {Grant("a", wire::GRANT_STATE_DRAINING), Grant("c")}));
  AnswerAck();

  ASSERT_EQ(wire_->reports.size(), 1U);
  const auto& report = wire_->reports.front().request;
  EXPECT_EQ(report.snapshot_version(), 11U);
  ASSERT_EQ(report.counters_size(), 2) << "zero is left out, what is listed no more is not";
  EXPECT_EQ(report.counters(0).proxy_id(), "a");
  EXPECT_EQ(report.counters(0).active(), 1U);
  EXPECT_TRUE(report.counters(0).draining());
  EXPECT_EQ(report.counters(1).proxy_id(), "b");
  EXPECT_EQ(report.counters(1).reserved(), 1U);
  EXPECT_FALSE(report.counters(1).draining());
}

TEST_F(WorkerClientTest, ReportNumbersGrowAlsoPastThoseThatFailed) {
  BringUp({});
  std::vector<std::uint64_t> sequences;
  for (int i = 0; i < 3; ++i) {
    scheduler_->Advance(seconds(1));
    ASSERT_EQ(wire_->reports.size(), 1U);
    sequences.push_back(wire_->reports.front().request.report_sequence());
    Refuse(wire_->reports, i == 1 ? Failure(wire::REJECT_REASON_SEQUENCE_CONFLICT) : Unreachable());
  }

  EXPECT_LT(sequences[0], sequences[1]);
  EXPECT_LT(sequences[1], sequences[2]);
}

TEST_F(WorkerClientTest, IsAliveForTheControllerBeforeItHasAnySnapshot) {
  client_->Start();
  AnswerRegister("s1");

  scheduler_->Advance(seconds(5));

  ASSERT_EQ(wire_->reports.size(), 1U);
  EXPECT_EQ(wire_->reports.front().request.snapshot_version(), 0U);
}

TEST_F(WorkerClientTest, ARefusedUpdateIsAnsweredOnceAndWatchedAnewFromNothing) {
  BringUp({Grant("a")});
  wire::SnapshotUpdate bad = Full(kEpoch, 11, 30, {Grant("a"), Grant("b")});
  const std::string right = bad.full().checksum();
  bad.mutable_full()->set_checksum(std::string(32, 'x'));

  Push(bad);

  ASSERT_EQ(wire_->acks.size(), 1U);
  const auto& answer = wire_->acks.front().request;
  EXPECT_FALSE(answer.accepted());
  EXPECT_EQ(answer.version(), 11U);
  EXPECT_EQ(answer.refusal(), wire::SNAPSHOT_REFUSAL_CHECKSUM);
  EXPECT_EQ(answer.computed_checksum(), right);
  EXPECT_NE(answer.reject_detail(), "");
  EXPECT_FALSE(wire_->streams[0]->alive);
  EXPECT_EQ(wire_->streams.size(), 1U) << "never at once";
  AnswerAck();
  scheduler_->Advance(seconds(2));
  ASSERT_EQ(wire_->streams.size(), 2U);
  EXPECT_EQ(Stream().request.last_version(), 0U) << "from nothing";
  EXPECT_TRUE(Reserve()) << "the view that it holds is still good";
}

TEST_F(WorkerClientTest, ALateUpdateOfAnOlderStreamIsNotTaken) {
  // The run that breaks without it: version 10 lags on the old stream, 11 comes on the new one, then 10 arrives.
  client_->Start();
  AnswerRegister("s1");
  EndStream(Unreachable());
  scheduler_->Advance(seconds(2));
  ASSERT_EQ(wire_->streams.size(), 2U);
  Push(Full(kEpoch, 11, 30, {Grant("a", wire::GRANT_STATE_DRAINING)}));
  AnswerAck();
  EXPECT_FALSE(wire_->streams[0]->alive) << "no event of it comes any more";

  Push(Full(kEpoch, 10, 30, {Grant("a")}));

  EXPECT_EQ(taken_, std::vector<std::uint64_t>{11});
  ASSERT_EQ(refused_.size(), 1U);
  EXPECT_EQ(refused_[0].refusal, wire::SNAPSHOT_REFUSAL_BASE_VERSION);
  EXPECT_FALSE(Reserve());
}

TEST_F(WorkerClientTest, AfterABrokenStreamItAsksForADeltaOnWhatItHolds) {
  BringUp({Grant("a")}, 10);
  EndStream(Unreachable());

  scheduler_->Advance(seconds(2));

  ASSERT_EQ(wire_->streams.size(), 2U);
  EXPECT_EQ(Stream().request.last_version(), 10U);
  EXPECT_EQ(Stream().request.last_checksum(), ChecksumOf(kEpoch, {}, {Grant("a")}));
  EXPECT_EQ(Stream().request.ownership_epoch(), kEpoch);
}

TEST_F(WorkerClientTest, AStreamThatEndsWellIsOpenedAgainButNotAtOnce) {
  BringUp({Grant("a")});
  EndStream(CallResult());
  EXPECT_EQ(wire_->streams.size(), 1U);

  scheduler_->Advance(seconds(2));

  EXPECT_EQ(wire_->streams.size(), 2U);
}

TEST_F(WorkerClientTest, AnUpdateWithNothingSetMakesItWatchAgain) {
  BringUp({Grant("a")});

  Push(wire::SnapshotUpdate());

  EXPECT_TRUE(wire_->acks.empty()) << "there is no version to refuse";
  EXPECT_FALSE(wire_->streams[0]->alive);
  scheduler_->Advance(seconds(2));
  EXPECT_EQ(wire_->streams.size(), 2U);
}

TEST_F(WorkerClientTest, AnAckWithoutAnAnswerIsSentAgain) {
  client_->Start();
  AnswerRegister("s1");
  Push(Full(kEpoch, 10, 30, {}));
  Refuse(wire_->acks, Unreachable());
  EXPECT_TRUE(wire_->acks.empty()) << "never at once";

  scheduler_->Advance(seconds(2));

  ASSERT_EQ(wire_->acks.size(), 1U);
  EXPECT_EQ(wire_->acks.front().request.version(), 10U);
  AnswerAck();
  EXPECT_EQ(client_->state(), LifecycleState::kActive);
}

TEST_F(WorkerClientTest, ANotAcknowledgedVersionIsAcknowledgedAgain) {
  BringUp({Grant("a")}, 10);
  scheduler_->Advance(seconds(1));

  Refuse(wire_->reports, Failure(wire::REJECT_REASON_VERSION_NOT_ACKNOWLEDGED));

  ASSERT_EQ(wire_->acks.size(), 1U);
  EXPECT_TRUE(wire_->acks.front().request.accepted());
  EXPECT_EQ(wire_->acks.front().request.version(), 10U);
}

TEST_F(WorkerClientTest, AReferenceThatDoesNotStandIsWatchedAnewAndReportsGoOn) {
  for (const wire::RejectReason reason :
       {wire::REJECT_REASON_REFERENCE_NOT_ISSUED, wire::REJECT_REASON_CHECKSUM_MISMATCH,
        wire::REJECT_REASON_REFERENCE_SUPERSEDED, wire::REJECT_REASON_SNAPSHOT_EXPIRED}) {
    *wire_ = FakeWire();
    NewClient();
    client_->Start();
    AnswerRegister("s1");
    const std::int64_t now = (scheduler_->Now() - start_) / seconds(1);
    Push(Full(kEpoch, 10, now + 30, {}));
    Refuse(wire_->acks, Failure(reason));

    scheduler_->Advance(milliseconds(5'100));

    ASSERT_EQ(wire_->streams.size(), 2U) << wire::RejectReason_Name(reason);
    EXPECT_EQ(Stream().request.last_version(), 0U);
    EXPECT_FALSE(wire_->reports.empty());
    EXPECT_TRUE(wire_->registers.empty());
  }
}

TEST_F(WorkerClientTest, AClosedFenceMakesItWatchAgainButNotWithEveryReport) {
  BringUp({Grant("a")});
  for (int i = 0; i < 6; ++i) {
    scheduler_->Advance(seconds(1));
    if (!wire_->reports.empty()) Refuse(wire_->reports, Failure(wire::REJECT_REASON_RUNTIME_FENCED));
  }

  EXPECT_EQ(wire_->streams.size(), 2U) << "one new stream, which has brought nothing yet";
  EXPECT_TRUE(wire_->registers.empty()) << "refused, but heard";
}

TEST_F(WorkerClientTest, RevokedProxiesGetNothingNewAtOnce) {
  BringUp({Grant("a"), Grant("b")});
  scheduler_->Advance(seconds(1));

  AnswerReport(wire::SESSION_STATE_ACTIVE, {"a", "unknown"});

  const auto lease = Reserve();
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->row().id(), "b");
}

TEST_F(WorkerClientTest, WhatRunsIsCutBeforeTheEndOfItsWindowAndNotBeforeThat) {
  BringUp({Grant("a")}, 10, 30);
  std::optional<Lease> running = Reserve();
  ASSERT_TRUE(running);
  const BootTime window_ends = start_ + seconds(40);

  scheduler_->Advance(seconds(38));
  EXPECT_TRUE(cut_.empty());
  scheduler_->Advance(seconds(2));

  EXPECT_EQ(cut_, std::vector<std::string>{"a"});
  EXPECT_LE(scheduler_->Now(), window_ends);
}

TEST_F(WorkerClientTest, ARenewedViewDoesNotKeepAliveWhatItNoLongerLists) {
  // The run that breaks without it: a tunnel on a proxy that was taken away, under a view that is renewed for ever.
  BringUp({Grant("a"), Grant("b")}, 10, 30);
  std::optional<Lease> running = client_->traffic().Reserve(0, [](const GrantRow& row) { return row.id() == "a"; });
  ASSERT_TRUE(running);
  Push(Delta(kEpoch, 10, 11, 40, {}, {"a"}, {Grant("b")}));
  AnswerAck();
  for (std::uint64_t i = 0; i < 4; ++i) {
    scheduler_->Advance(seconds(10));
    while (!wire_->reports.empty()) AnswerReport();
    Push(Delta(kEpoch, 11 + i, 12 + i, 60 + static_cast<std::int64_t>(i) * 10, {}, {}, {Grant("b")}));
    while (!wire_->reports.empty()) AnswerReport();
    AnswerAck();
    while (!wire_->reports.empty()) AnswerReport();
  }

  EXPECT_EQ(cut_, std::vector<std::string>{"a"});
}

TEST_F(WorkerClientTest, WhatIsHeldIsNotUsedAtAll) {
  BringUp({Grant("a")}, 10);
  std::optional<Lease> running = Reserve();
  ASSERT_TRUE(running);

  Push(Full(kEpoch, 11, 40, {Grant("a", wire::GRANT_STATE_HELD)}));

  EXPECT_EQ(cut_, std::vector<std::string>{"a"});
  EXPECT_FALSE(Reserve());
}

TEST_F(WorkerClientTest, WithoutAValidUpdateForMaxStaleAgeItRefusesNewTraffic) {
  max_stale_seconds_ = 20;
  BringUp({Grant("a")}, 10, 300);
  Live(19);
  EXPECT_TRUE(Reserve());

  Live(1);
  EXPECT_FALSE(Reserve());
  EXPECT_EQ(client_->state(), LifecycleState::kActive) << "local, and no drain of the session";
  Push(Delta(kEpoch, 10, 11, 310, {}, {}, {Grant("a")}));

  EXPECT_TRUE(Reserve());
}

TEST_F(WorkerClientTest, SamplesOfAnEarlierSessionDoNotJudgeTheNext) {
  BringUp({Grant("a")}, 10, 30);
  scheduler_->Advance(seconds(1));
  Refuse(wire_->reports, Failure(wire::REJECT_REASON_SESSION_CLOSED));
  scheduler_->Advance(seconds(2));
  // The new session's log time is 1,000 seconds ahead: by the old samples this update would be good.
  wire::RegisterWorkerResponse answer = Registration("s2");
  SetTime(*answer.mutable_server_time(), LogNow() + seconds(1'000));
  Answer(wire_->registers, CallResult(), answer);

  Push(Full(kEpoch, 11, 60, {Grant("a")}));

  ASSERT_EQ(refused_.size(), 1U);
  EXPECT_EQ(refused_[0].refusal, wire::SNAPSHOT_REFUSAL_EXPIRED);
}

TEST_F(WorkerClientTest, EveryAnswerTightensTheClock) {
  client_->Start();
  // The registration's answer took 20 seconds: until another comes, log time may be that much ahead.
  const auto registration = Registration("s1");
  scheduler_->Advance(seconds(9));
  wire::RegisterWorkerResponse late = registration;
  SetTime(*late.mutable_server_time(), LogNow());
  Answer(wire_->registers, CallResult(), late);
  Push(Full(kEpoch, 10, 30, {Grant("a")}));
  AnswerAck();
  while (!wire_->reports.empty()) AnswerReport();

  // By the first sample alone log time could be 27 at 18; by the later ones it is 18.
  scheduler_->Advance(seconds(14));

  EXPECT_TRUE(Reserve());
  scheduler_->Advance(seconds(7));
  EXPECT_FALSE(Reserve());
}

}  // namespace
}  // namespace holdfast::client
