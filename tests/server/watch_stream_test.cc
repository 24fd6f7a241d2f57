// Watch streams under trouble: readers that are slow, gone, replaced, silent; updates that must not be written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/call_detail.h"
#include "tests/server/test_worker.h"
#include "tests/server/wait_until.h"
#include "tests/server/wide_update.h"

namespace holdfast::server {
namespace {

using namespace controlplane::v1;
using log::v1::Input;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::StartsWith;

std::size_t CountOf(const TestDaemon& daemon, Input::InputCase kind) { return daemon.Entries(kind).size(); }

TEST(WatchStream, AClientThatGoesAwayIsToldToTheControllerOnceAndNothingOfItIsKept) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  ASSERT_EQ(daemon.daemon().streams().streams(), 1u);

  watch->Cancel();
  WaitUntil([&] { return daemon.daemon().streams().streams() == 0; });
  WaitUntil([&] { return CountOf(daemon, Input::kStreamEnded) == 1; });
  daemon.Settle();

  EXPECT_EQ(CountOf(daemon, Input::kStreamEnded), 1u);
  EXPECT_EQ(daemon.daemon().streams().waiting_bytes(), 0u);
}

TEST(WatchStream, AClientThatGoesAwayBeforeItsWatchIsDecidedIsToldAfterIt) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  worker.Register();
  daemon.log().Hold();
  auto watch = worker.Watch();
  WaitUntil([&] { return daemon.daemon().streams().streams() == 1; });
  daemon.log().WaitUntilHeld();

  watch->Cancel();
  watch->End();
  daemon.log().Release();
  WaitUntil([&] { return CountOf(daemon, Input::kStreamEnded) == 1; });

  const auto watched = daemon.Entries(Input::kWatchSnapshots);
  const auto ended = daemon.Entries(Input::kStreamEnded);
  ASSERT_EQ(watched.size(), 1u);
  EXPECT_LT(watched[0].sequence, ended[0].sequence);
  EXPECT_EQ(watched[0].input.watch_snapshots().stream(), ended[0].input.stream_ended().stream());
  WaitUntil([&] { return daemon.daemon().streams().streams() == 0; });
}

TEST(WatchStream, InitialMetadataComesOnlyAfterTheEntryIsDurable) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  worker.Register();
  daemon.log().Hold();
  auto watch = worker.Watch();
  daemon.log().WaitUntilHeld();
  std::atomic<bool> accepted = false;
  std::thread waiting([&] {
    watch->WaitForInitialMetadata();
    accepted = true;
  });

  const bool before = accepted;
  const std::size_t entries_before = CountOf(daemon, Input::kWatchSnapshots);
  daemon.log().Release();
  waiting.join();

  EXPECT_FALSE(before);
  EXPECT_EQ(entries_before, 0u);
  EXPECT_EQ(CountOf(daemon, Input::kWatchSnapshots), 1u);
}

TEST(WatchStream, ARefusedWatchLeavesNothingBehind) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  worker.Register();
  WatchSnapshotsRequest request = worker.WatchRequest();
  request.set_ownership_epoch(request.ownership_epoch() + 1);

  const grpc::Status status = worker.Watch(request)->End();

  EXPECT_EQ(ReasonOf(status), REJECT_REASON_EPOCH_AHEAD);
  WaitUntil([&] { return daemon.daemon().streams().streams() == 0; });
  daemon.Settle();
  EXPECT_EQ(CountOf(daemon, Input::kStreamEnded), 0u);
}

TEST(WatchStream, ASecondStreamReplacesTheFirstAndGoesOn) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  auto first = worker.Activate();

  auto second = worker.Watch();
  const grpc::Status status = first->End();
  const auto update = second->Read();

  EXPECT_EQ(ReasonOf(status), REJECT_REASON_STREAM_REPLACED);
  ASSERT_TRUE(update && update->has_full());
  EXPECT_GT(update->full().version(), worker.last().version);
  WaitUntil([&] { return daemon.daemon().streams().streams() == 1; });
}

TEST(WatchStream, AResumedWatchBeginsWithADelta) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  auto first = worker.Activate();
  WatchSnapshotsRequest request = worker.WatchRequest();
  request.set_last_version(worker.last().version);
  request.set_last_checksum(worker.last().checksum);

  const auto update = worker.Watch(request)->Read();

  ASSERT_TRUE(update && update->has_delta());
  EXPECT_EQ(update->delta().base_version(), worker.last().version);
}

TEST(WatchStream, AnUnansweredUpdateEndsTheStreamAndTheSessionLivesOn) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  worker.Register();
  auto watch = worker.Watch();
  ASSERT_TRUE(watch->Read());

  daemon.Advance(seconds(5));
  const grpc::Status status = watch->End();
  auto again = worker.Watch();
  const UpdateHead head = worker.ReadAndAcknowledge(*again);

  EXPECT_EQ(ReasonOf(status), REJECT_REASON_ACK_TIMEOUT);
  EXPECT_EQ(worker.acknowledged().accepted_version(), head.version);
}

TEST(WatchStream, ItEndsWellWhenTheLastDeliveredUpdateIsNoLongerValid) {
  TestDaemon::Options options;
  options.config.settings.session_ttl = seconds(60);
  TestDaemon daemon(options);
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();  // and never reports, so nothing is renewed

  daemon.Advance(seconds(31));
  const grpc::Status status = watch->End();

  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(CountOf(daemon, Input::kStreamEnded), 1u);
}

TEST(WatchStream, ItEndsWellAfterItsLongestDuration) {
  TestDaemon::Options options;
  options.config.watch_max_duration = seconds(2);
  TestDaemon daemon(options);
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();

  daemon.Advance(seconds(3));
  const grpc::Status status = watch->End();

  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST(WatchStream, AnUpdateWithLessThanASecondLeftIsNotWrittenAndThatIsTold) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  const std::uint64_t late = worker.last().version + 1;

  daemon.daemon().streams().Carry(WideUpdate(daemon, LatestStream(daemon), late, 10, milliseconds(999)));
  daemon.daemon().streams().Carry(WideUpdate(daemon, LatestStream(daemon), late + 1, 10, seconds(1)));
  const auto update = watch->Read();
  daemon.Settle();

  ASSERT_TRUE(update);
  EXPECT_EQ(HeadOf(*update).version, late + 1);
  // The controller did not issue it, so nothing follows from the telling; an own input without events is no entry.
  EXPECT_EQ(daemon.daemon().streams().streams(), 1u);
}

TEST(WatchStream, AnUpdateOverTheMessageLimitIsNeverSentAndEndsTheStreamOnce) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();

  daemon.daemon().streams().Carry(WideUpdate(daemon, LatestStream(daemon), worker.last().version + 1, 3'670'017));
  const auto update = watch->Read();
  const grpc::Status status = watch->End();

  EXPECT_FALSE(update);
  EXPECT_EQ(ReasonOf(status), REJECT_REASON_LIMIT_EXCEEDED);
  WaitUntil([&] { return CountOf(daemon, Input::kStreamEnded) == 1; });
}

TEST(WatchStream, ASlowReaderHoldsABoundedAmountAndIsFreedWholeWhenItNeverReads) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  const StreamId stream = LatestStream(daemon);

  for (std::uint64_t i = 1; i <= 50; ++i) {
    daemon.daemon().streams().Carry(WideUpdate(daemon, stream, worker.last().version + i, 3'000'000));
    ASSERT_LE(daemon.daemon().streams().waiting_bytes(), std::size_t{8} * 1024 * 1024);
  }
  WaitUntil([&] { return CountOf(daemon, Input::kStreamEnded) == 1; });
  daemon.Advance(seconds(6));  // it does not even take the end of its stream
  WaitUntil([&] { return daemon.daemon().streams().streams() == 0; });

  EXPECT_EQ(daemon.daemon().streams().waiting_bytes(), 0u);
  EXPECT_FALSE(watch->End().ok());
}

// Simulated time passes until the controller was told; real time, in which the transport fills, passes with each look.
TEST(WatchStream, AReaderThatStallsWhileSomethingWaitsIsCutAfterAckTimeout) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  const StreamId stream = LatestStream(daemon);
  const LogTime stalls_at = daemon.loop().Now();

  for (std::uint64_t i = 1; i <= 2; ++i) {
    daemon.daemon().streams().Carry(WideUpdate(daemon, stream, worker.last().version + i, 3'400'000));
  }
  WaitUntil([&] {
    daemon.Advance(milliseconds(100));
    return CountOf(daemon, Input::kStreamEnded) > 0;
  });
  const Duration stalled = daemon.loop().Now() - stalls_at;
  const grpc::Status status = watch->End();

  EXPECT_EQ(ReasonOf(status), REJECT_REASON_SLOW_READER);
  EXPECT_THAT(daemon.Entries(Input::kStreamEnded).front().input.stream_ended().cause(), StartsWith("slow reader"));
  EXPECT_GE(stalled, seconds(5));
  EXPECT_LT(stalled, seconds(6));
}

TEST(WatchStream, ADrainNoticeReachesTheWorkerAndHasNoVersion) {
  TestDaemon daemon;
  daemon.Import(5);
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  worker.ReadAndAcknowledge(*watch);
  ReportRuntimeRequest last = worker.ReportRequest(1);
  last.set_draining(true);

  ASSERT_TRUE(worker.Call(last).ok());
  auto update = watch->Read();
  while (update && !update->has_drain()) update = watch->Read();

  ASSERT_TRUE(update);
  EXPECT_EQ(update->drain().reason(), DRAIN_REASON_SHUTDOWN);
  EXPECT_GT(update->drain().deadline().seconds(), 0);
}

}  // namespace
}  // namespace holdfast::server
