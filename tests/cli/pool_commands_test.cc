// The pool store for operators: pool diff, rebuild and adopt.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <istream>
#include <mutex>
#include <ostream>
#include <streambuf>

#include "tests/cli/cli_run.h"
#include "tests/cli/fake_daemon.h"
#include "tests/cli/status_details.h"
#include "tools/cli/elapsed_line.h"

namespace holdfast::cli {
namespace {

using admin::v1::AdoptPoolResponse;
using admin::v1::DiffPoolResponse;
using admin::v1::PoolDifference;
using admin::v1::RebuildPoolResponse;
using ::testing::HasSubstr;
using ::testing::Not;

PoolDifference Difference(const std::string& field, const std::string& in_projection, const std::string& in_store) {
  PoolDifference difference;
  difference.set_field(field);
  difference.set_in_projection(in_projection);
  difference.set_in_store(in_store);
  return difference;
}

DiffPoolResponse Compared(std::uint64_t rows) {
  DiffPoolResponse response;
  response.set_compared(rows);
  response.set_total(2000);
  response.set_applied_sequence(4711);
  return response;
}

// Progress, one difference of each kind of row, progress.
std::vector<DiffPoolResponse> ThreeDifferences() {
  std::vector<DiffPoolResponse> responses = {Compared(1000), Compared(1500), Compared(2000)};
  auto& proxy = *responses[1].add_differences() = Difference("health", "available", "suspect");
  proxy.set_proxy_id("http://198.18.0.1:8080");
  auto& address = *responses[1].add_differences() = Difference("owner", "worker-1", "");
  address.set_address("198.18.0.1:8080");
  auto& session = *responses[1].add_differences() = Difference("row", "", "there");
  session.set_worker_id("worker-9");
  return responses;
}

TEST(PoolDiffCommand, AStoreThatIsWhatTheLogSaysEndsWithZero) {
  FakeDaemon daemon;
  daemon.pool.PlanDiff({Compared(1000), Compared(2000)});

  const CliRun run = RunAt(daemon.address(), {"pool", "diff"});

  EXPECT_EQ(run.code, ExitCode::kDone) << run.error;
  EXPECT_EQ(run.out, "0 differences; 2,000 rows compared, the store applied to sequence 4711\n");
  EXPECT_EQ(run.error, "") << "progress is for terminals alone";
}

TEST(PoolDiffCommand, EachDifferenceIsARowAndTheEndIsOne) {
  FakeDaemon daemon;
  daemon.pool.PlanDiff(ThreeDifferences());

  const CliRun run = RunAt(daemon.address(), {"pool", "diff"});

  EXPECT_EQ(run.code, ExitCode::kFoundWanting);
  EXPECT_EQ(run.out,
            "ROW                           FIELD   BY THE LOG  IN THE STORE\n"
            "proxy http://198.18.0.1:8080  health  available   suspect\n"
            "address 198.18.0.1:8080       owner   worker-1    -\n"
            "session worker-9              row     -           there\n"
            "\n"
            "3 differences; 2,000 rows compared, the store applied to sequence 4711\n");
  EXPECT_THAT(run.error, HasSubstr("`holdfast pool rebuild`"));
}

TEST(PoolDiffCommand, ProgressIsShownOnATerminalAndWipedBeforeTheRows) {
  FakeDaemon daemon;
  daemon.pool.PlanDiff(ThreeDifferences());

  const CliRun run = RunAt(daemon.address(), {"pool", "diff"}, {.terminal = true});

  EXPECT_THAT(run.error, HasSubstr("\x1b[?7l1,000 of about 2,000 rows compared, 0 differences\x1b[?7h"
                                   "\r\x1b[K"
                                   "\r\x1b[K\x1b[?7l1,500 of about 2,000 rows compared, 3 differences\x1b[?7h"));
  EXPECT_TRUE(run.error.find("differences\x1b[?7h\r\x1b[Kholdfast: the pool store is not") != std::string::npos);
  EXPECT_EQ(run.out.find('\x1b'), std::string::npos);
}

TEST(PoolDiffCommand, MoreThanAreListedIsSaid) {
  FakeDaemon daemon;
  auto responses = ThreeDifferences();
  responses.back().set_truncated(true);
  daemon.pool.PlanDiff(responses);

  const CliRun text = RunAt(daemon.address(), {"pool", "diff"});
  const CliRun json = RunAt(daemon.address(), {"pool", "diff", "--json"});

  EXPECT_THAT(text.out, HasSubstr("3 differences, and more that are not listed; "));
  EXPECT_EQ(json.code, ExitCode::kFoundWanting);
  EXPECT_EQ(json.Json()["differences"].size(), 3u);
  EXPECT_EQ(json.Json()["truncated"], true);
}

TEST(PoolDiffCommand, ATextFromTheStoreCannotWriteToTheTerminal) {
  FakeDaemon daemon;
  DiffPoolResponse response = Compared(1);
  *response.add_differences() = Difference("owner", "worker-1", "\x1b[2J\nfake");
  daemon.pool.PlanDiff({response});

  const CliRun run = RunAt(daemon.address(), {"pool", "diff"});

  EXPECT_THAT(run.out, HasSubstr("\\x1b[2J\\x0afake"));
}

TEST(PoolDiffCommand, AComparisonThatBreaksOffIsNoComparison) {
  FakeDaemon daemon;
  daemon.pool.PlanDiff(ThreeDifferences(),
                       Refusal(grpc::StatusCode::UNAVAILABLE, controlplane::v1::REJECT_REASON_POOL_UNAVAILABLE,
                               "the pool store is away"));

  const CliRun text = RunAt(daemon.address(), {"pool", "diff"});
  const CliRun json = RunAt(daemon.address(), {"pool", "diff", "--json"});

  EXPECT_EQ(text.code, ExitCode::kRefused);
  EXPECT_THAT(text.error, HasSubstr("refused DiffPool: POOL_UNAVAILABLE: the pool store is away"));
  EXPECT_THAT(text.out, Not(HasSubstr("rows compared")));
  EXPECT_TRUE(json.Json().is_discarded()) << "half a list must not parse as a whole one";
}

RebuildPoolResponse Rebuilt() {
  RebuildPoolResponse answer;
  answer.set_proxies_written(12'345);
  answer.set_addresses_written(1);
  answer.set_applied_sequence(4711);
  return answer;
}

TEST(PoolRebuildCommand, SaysWhatWasWritten) {
  FakeDaemon daemon;
  daemon.pool.AnswerRebuild(Rebuilt());

  const CliRun run = RunAt(daemon.address(), {"pool", "rebuild"});

  EXPECT_EQ(run.code, ExitCode::kDone) << run.error;
  EXPECT_EQ(run.out, "12,345 proxies and 1 address written; the store is applied to sequence 4711\n");
  EXPECT_EQ(run.error, "");
  EXPECT_FALSE(daemon.pool.rebuilds().at(0).dry_run());
}

TEST(PoolRebuildCommand, ADryRunSaysWhatWouldBe) {
  FakeDaemon daemon;
  daemon.pool.AnswerRebuild(Rebuilt());

  const CliRun run = RunAt(daemon.address(), {"pool", "rebuild", "--dry-run"});

  EXPECT_EQ(run.out,
            "12,345 proxies and 1 address would be written; nothing was. The store is applied to sequence 4711\n");
  EXPECT_TRUE(daemon.pool.rebuilds().at(0).dry_run());
}

TEST(PoolRebuildCommand, HowLongItTakesIsSeenOnATerminal) {
  FakeDaemon daemon;
  daemon.pool.AnswerRebuild(Rebuilt());

  const CliRun run = RunAt(daemon.address(), {"pool", "rebuild"}, {.terminal = true});

  EXPECT_TRUE(run.error.starts_with("\r\x1b[K\x1b[?7lwriting the pool store anew, 0s\x1b[?7h"));
  EXPECT_TRUE(run.error.ends_with("\r\x1b[K"));
  EXPECT_EQ(run.out.find('\x1b'), std::string::npos);
}

TEST(PoolRebuildCommand, WhatWasBegunMayGoOnAfterItsDeadline) {
  FakeDaemon daemon;
  daemon.pool.FallSilent();

  const CliRun run = RunAt(daemon.address(), {"pool", "rebuild", "--deadline", "1s"});

  EXPECT_EQ(run.code, ExitCode::kDeadline);
  EXPECT_THAT(run.error, HasSubstr("took RebuildPool and then said nothing for 1s."));
  EXPECT_THAT(run.error, HasSubstr("What was begun may go on: `holdfast status` shows the store's condition.\n"));
}

TEST(PoolAdoptCommand, SaysWhoseItWasAndTheReasonGoesAlong) {
  FakeDaemon daemon;
  AdoptPoolResponse answer;
  answer.set_previous_log_id("fedc\x1b[2J");
  answer.set_previous_applied_sequence(99);
  answer.set_log_sequence(4711);
  daemon.pool.AnswerAdopt(answer);

  const CliRun run = RunAt(daemon.address(), {"pool", "adopt", "--reason", "restored from the backup of noon"});

  EXPECT_EQ(run.code, ExitCode::kDone) << run.error;
  EXPECT_THAT(run.out,
              HasSubstr("the pool store is this log's from now on; before it was that of log fedc\\x1b[2J, applied "
                        "to sequence 99. Log sequence 4711\n"));
  EXPECT_THAT(run.out, HasSubstr("stays so until its end"));
  EXPECT_EQ(daemon.pool.adoptions().at(0).reason(), "restored from the backup of noon");
}

TEST(PoolAdoptCommand, OneThatNeedsNoAdoptionIsRefused) {
  FakeDaemon daemon;
  daemon.pool.RefuseStore(Refusal(grpc::StatusCode::FAILED_PRECONDITION,
                                  controlplane::v1::REJECT_REASON_FAILED_CONDITION, "the store is this log's"));

  const CliRun run = RunAt(daemon.address(), {"pool", "adopt", "--reason", "r"});

  EXPECT_EQ(run.code, ExitCode::kRefused);
  EXPECT_THAT(run.error, HasSubstr("FAILED_CONDITION: the store is this log's"));
}

TEST(PoolCommands, MistakesEndWithTwo) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"pool"}, {"pool", "adopt"}, {"pool", "mend"}}) {
    EXPECT_EQ(RunCommand(arguments).code, ExitCode::kCouldNotRun) << ::testing::PrintToString(arguments);
  }
}

// Counts the lines that were begun anew, and lets another thread wait for them.
class CountingBuffer : public std::streambuf {
 public:
  void WaitFor(int lines) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return lines_ >= lines; });
  }

 protected:
  int_type overflow(int_type character) override {
    std::lock_guard lock(mutex_);
    if (character == '\r') ++lines_;
    changed_.notify_all();
    return character;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int lines_ = 0;
};

TEST(ElapsedLine, RewritesItselfUntilItIsGone) {
  CountingBuffer buffer;
  std::ostream error(&buffer);
  std::istream in(&buffer);
  Interrupt interrupt;
  Environment environment{.out = error,
                          .error = error,
                          .in = in,
                          .error_is_terminal = true,
                          .interrupt = interrupt,
                          .now_micros = {},
                          .variable = {},
                          .wait = {},
                          .random = {},
                          .draw_id = {}};

  {
    const ElapsedLine line(environment, "it takes its time", std::chrono::milliseconds(1));
    buffer.WaitFor(3);
  }

  buffer.WaitFor(4);  // wiped
}

}  // namespace
}  // namespace holdfast::cli
