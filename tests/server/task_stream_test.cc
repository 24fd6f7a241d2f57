// Task streams under trouble: readers that are slow, gone, replaced, silent; many tasks at once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/call_detail.h"
#include "tests/server/task_update.h"
#include "tests/server/test_checker.h"
#include "tests/server/wait_until.h"

namespace holdfast::server {
namespace {

using namespace controlplane::v1;
using log::v1::Input;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::StartsWith;

std::size_t CountOf(const TestDaemon& daemon, Input::InputCase kind) { return daemon.Entries(kind).size(); }

TestDaemon::Options Checked() {
  TestDaemon::Options options;
  options.config = TestDaemon::Checked();
  return options;
}

TEST(TaskStream, ACheckerThatGoesAwayIsToldToTheControllerOnceAndNothingOfItIsKept) {
  TestDaemon daemon;
  TestChecker checker(daemon, "checker-1");
  const auto tasks = checker.Activate();
  const StreamId stream = LatestTaskStream(daemon);
  ASSERT_EQ(daemon.daemon().streams().streams(), 1u);

  tasks->Cancel();
  WaitUntil([&] { return daemon.daemon().streams().streams() == 0; });
  WaitUntil([&] { return CountOf(daemon, Input::kTaskStreamEnded) == 1; });
  daemon.Settle();

  const auto ended = daemon.Entries(Input::kTaskStreamEnded);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].principal, "controller");
  EXPECT_EQ(ended[0].input.task_stream_ended().checker_id(), "checker-1");
  EXPECT_EQ(ended[0].input.task_stream_ended().session_id(), checker.session().session_id());
  EXPECT_EQ(ended[0].input.task_stream_ended().stream(), stream.value());
  EXPECT_EQ(CountOf(daemon, Input::kStreamEnded), 0u);
}

TEST(TaskStream, ACheckerThatGoesAwayBeforeItsWatchIsDecidedIsToldAfterIt) {
  TestDaemon daemon;
  TestChecker checker(daemon, "checker-1");
  checker.Register();
  daemon.log().Hold();
  const auto tasks = checker.Watch();
  WaitUntil([&] { return daemon.daemon().streams().streams() == 1; });
  daemon.log().WaitUntilHeld();

  tasks->Cancel();
  tasks->End();
  daemon.log().Release();
  WaitUntil([&] { return CountOf(daemon, Input::kTaskStreamEnded) == 1; });

  const auto watched = daemon.Entries(Input::kWatchTasks);
  const auto ended = daemon.Entries(Input::kTaskStreamEnded);
  ASSERT_EQ(watched.size(), 1u);
  EXPECT_LT(watched[0].sequence, ended[0].sequence);
  EXPECT_EQ(watched[0].input.watch_tasks().stream(), ended[0].input.task_stream_ended().stream());
  WaitUntil([&] { return daemon.daemon().streams().streams() == 0; });
}

TEST(TaskStream, ASecondStreamReplacesTheFirstAndGetsWhatIsDueFromThenOn) {
  TestDaemon daemon(Checked());
  TestChecker checker(daemon, "checker-1");
  const auto first = checker.Activate();

  const auto second = checker.Watch();
  const grpc::Status status = first->End();
  daemon.Import(1);
  const CheckTask task = checker.ReadTask(*second);

  EXPECT_EQ(ReasonOf(status), REJECT_REASON_STREAM_REPLACED);
  EXPECT_EQ(task.proxy_id(), "proxy-0");
  WaitUntil([&] { return daemon.daemon().streams().streams() == 1; });
}

TEST(TaskStream, ADetachedCheckerKeepsItsTasksAndGetsNoNewOnesUntilItWatchesAgain) {
  TestDaemon daemon(Checked());
  TestChecker checker(daemon, "checker-1");
  auto tasks = checker.Activate();
  daemon.Import(1);
  const CheckTask kept = checker.ReadTask(*tasks);

  tasks->Cancel();
  WaitUntil([&] { return CountOf(daemon, Input::kTaskStreamEnded) == 1; });
  daemon.Import(1, "later-");
  daemon.Settle();
  checker.Answer(kept, VERDICT_PASS);
  const int unknown = checker.reported().unknown_task_ids_size();
  tasks = checker.Watch();
  const CheckTask next = checker.ReadTask(*tasks);

  EXPECT_EQ(unknown, 0);
  EXPECT_EQ(next.proxy_id(), "later-0");
}

TEST(TaskStream, AThousandTasksAtOnceWaitForAReaderThatIsOnlyALittleLate) {
  TestDaemon daemon(Checked());
  TestChecker checker(daemon, "checker-1");
  RegisterCheckerRequest request = checker.RegisterRequest();
  request.set_max_concurrency(2'000);
  ASSERT_TRUE(checker.Call(request).ok());
  const auto tasks = checker.Watch();
  tasks->WaitForInitialMetadata();

  daemon.Import(1'000);
  daemon.Settle();
  std::uint64_t last = 0;
  for (int i = 0; i < 1'000; ++i) {
    const CheckTask task = checker.ReadTask(*tasks);
    const std::uint64_t id = std::stoull(task.task_id());
    ASSERT_GT(id, last);
    last = id;
  }

  EXPECT_EQ(last, 1'000u);
}

TEST(TaskStream, ASlowReaderHoldsABoundedAmountAndIsFreedWholeWhenItNeverReads) {
  TestDaemon daemon;
  TestChecker checker(daemon, "checker-1");
  const auto tasks = checker.Activate();
  const StreamId stream = LatestTaskStream(daemon);

  for (std::uint64_t i = 1; i <= 50; ++i) {
    daemon.daemon().streams().Carry(WideTask(stream, i, 3'000'000));
    ASSERT_LE(daemon.daemon().streams().waiting_bytes(), std::size_t{33} * 1024 * 1024);
  }
  WaitUntil([&] { return CountOf(daemon, Input::kTaskStreamEnded) == 1; });
  daemon.Advance(seconds(6));  // it does not even take the end of its stream
  WaitUntil([&] { return daemon.daemon().streams().streams() == 0; });

  EXPECT_EQ(daemon.daemon().streams().waiting_bytes(), 0u);
  EXPECT_FALSE(tasks->End().ok());
}

// Simulated time passes until the controller was told; real time, in which the transport fills, passes with each look.
TEST(TaskStream, AReaderThatStallsWhileSomethingWaitsIsCutAfterAckTimeout) {
  TestDaemon daemon;
  TestChecker checker(daemon, "checker-1");
  const auto tasks = checker.Activate();
  const StreamId stream = LatestTaskStream(daemon);
  const LogTime stalls_at = daemon.loop().Now();

  for (std::uint64_t i = 1; i <= 2; ++i) daemon.daemon().streams().Carry(WideTask(stream, i, 3'400'000));
  WaitUntil([&] {
    daemon.Advance(milliseconds(100));
    return CountOf(daemon, Input::kTaskStreamEnded) > 0;
  });
  const Duration stalled = daemon.loop().Now() - stalls_at;
  const grpc::Status status = tasks->End();

  EXPECT_EQ(ReasonOf(status), REJECT_REASON_SLOW_READER);
  EXPECT_THAT(daemon.Entries(Input::kTaskStreamEnded).front().input.task_stream_ended().cause(),
              StartsWith("slow reader"));
  EXPECT_GE(stalled, seconds(5));
  EXPECT_LT(stalled, seconds(6));
}

TEST(TaskStream, ItEndsWellAfterItsLongestDurationAndTheSessionLivesOn) {
  TestDaemon::Options options = Checked();
  options.config.watch_max_duration = seconds(2);
  TestDaemon daemon(options);
  TestChecker checker(daemon, "checker-1");
  const auto tasks = checker.Activate();

  daemon.Advance(seconds(3));
  const grpc::Status status = tasks->End();
  WaitUntil([&] { return CountOf(daemon, Input::kTaskStreamEnded) == 1; });
  const auto again = checker.Watch();
  daemon.Import(1);

  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(checker.ReadTask(*again).proxy_id(), "proxy-0");
}

}  // namespace
}  // namespace holdfast::server
