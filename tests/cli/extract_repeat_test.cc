// holdfast extract without an answer that stands: what is repeated, under which id, and how it ends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/cli_run.h"
#include "tests/cli/fake_daemon.h"
#include "tests/cli/samples.h"
#include "tests/cli/status_details.h"

namespace holdfast::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using namespace controlplane::v1;

grpc::Status PoolUnavailable() {
  ErrorDetail detail;
  detail.set_reason(REJECT_REASON_POOL_UNAVAILABLE);
  detail.set_message("the pool store did not answer");
  detail.mutable_retry_after()->set_seconds(1);
  return Refusal(grpc::StatusCode::UNAVAILABLE, detail);
}

class ExtractRepeat : public ::testing::Test {
 protected:
  CliRun Run(std::vector<std::string> arguments, const CliSetup& setup = {}) {
    arguments.insert(arguments.begin(), {"extract", "--client", "client-1"});
    return RunAt(daemon_.address(), std::move(arguments), setup);
  }

  FakeDaemon daemon_;
};

TEST_F(ExtractRepeat, PoolUnavailableIsRepeatedUnderTheSameRequestId) {
  daemon_.distribution.FailNext(PoolUnavailable());
  daemon_.distribution.FailNext({grpc::StatusCode::UNAVAILABLE, "Socket closed"});
  daemon_.distribution.AnswerExtract(SampleExtraction(1, 1));

  const CliRun run = Run({"--count", "1", "--format", "url"});

  EXPECT_EQ(run.code, ExitCode::kDone) << run.error;
  EXPECT_EQ(run.out, "http://198.18.0.1:8080\n");
  const auto requests = daemon_.distribution.extracts();
  ASSERT_EQ(requests.size(), 3u);
  for (const auto& request : requests) {
    EXPECT_EQ(request.SerializeAsString(), requests[0].SerializeAsString());
    EXPECT_EQ(request.request_id(), "drawn-1");
  }
  ASSERT_EQ(run.waits.size(), 2u);
  EXPECT_GE(run.waits[0], std::chrono::seconds(1)) << "as the daemon asked";
  EXPECT_THAT(run.error,
              HasSubstr("holdfast: Extract: POOL_UNAVAILABLE; it is repeated with --request-id drawn-1 for at "
                        "most 1m\n"));
  EXPECT_EQ(run.error.find('\x1b'), std::string::npos) << "progress is for terminals alone";
}

TEST_F(ExtractRepeat, OnATerminalTheWaitingIsSeenAndWipedBeforeTheAnswer) {
  daemon_.distribution.FailNext(PoolUnavailable());
  daemon_.distribution.AnswerExtract(SampleExtraction(1, 1));

  const CliRun run = Run({"--count", "1", "--request-id", "r-1"}, {.terminal = true});

  EXPECT_THAT(run.error, HasSubstr("\r\x1b[K\x1b[?7lExtract: POOL_UNAVAILABLE; called 1 time, "));
  EXPECT_TRUE(run.error.ends_with("\r\x1b[K"));
  EXPECT_EQ(run.out.find('\x1b'), std::string::npos);
}

TEST_F(ExtractRepeat, ItIsRepeatedUntilItsDeadlineAndThenSaysUnderWhichId) {
  for (int i = 0; i < 50; ++i) daemon_.distribution.FailNext(PoolUnavailable());

  const CliRun run = Run({"--count", "1", "--deadline", "20s"});

  EXPECT_EQ(run.code, ExitCode::kRefused);
  EXPECT_THAT(run.error, HasSubstr("POOL_UNAVAILABLE: the pool store did not answer"));
  EXPECT_THAT(run.error, HasSubstr("Repeat it with --request-id drawn-1: it is done once at most.\n"));
  std::chrono::milliseconds waited{};
  for (const auto wait : run.waits) waited += wait;
  EXPECT_LT(waited, std::chrono::seconds(20));
  EXPECT_GE(run.waits.size(), 3u);
  EXPECT_EQ(daemon_.distribution.extracts().size(), run.waits.size() + 1);
}

TEST_F(ExtractRepeat, ADaemonThatSaysNothingIsADeadline) {
  daemon_.distribution.FallSilent({});

  const CliRun run = Run({"--count", "1", "--deadline", "1s"});

  EXPECT_EQ(run.code, ExitCode::kDeadline);
  EXPECT_THAT(run.error, HasSubstr("Repeat it with --request-id drawn-1"));
}

TEST_F(ExtractRepeat, CtrlCSaysUnderWhichIdToAskAgain) {
  Interrupt while_called;
  daemon_.distribution.FallSilent([&] { while_called.Request(); });
  FakeDaemon waiting;
  waiting.distribution.FailNext(PoolUnavailable());

  const CliRun called = Run({"--count", "1"}, {.interrupt = &while_called});
  const CliRun waited = RunAt(waiting.address(), {"extract", "--client", "c", "--count", "1"},
                              {.wait = [](std::chrono::milliseconds) { return false; }});

  for (const CliRun* run : {&called, &waited}) {
    EXPECT_EQ(run->code, ExitCode::kCouldNotRun);
    EXPECT_THAT(run->error, HasSubstr("interrupted"));
    EXPECT_THAT(run->error, HasSubstr("Repeat it with --request-id drawn-1"));
  }
}

TEST_F(ExtractRepeat, NotEnoughSaysHowManyThereAreAndWhenToAskAgain) {
  ErrorDetail detail;
  detail.set_reason(REJECT_REASON_NOT_ENOUGH_PROXIES);
  detail.set_message("fewer machines than asked for are free and fit");
  (*detail.mutable_metadata())["available"] = "3";
  (*detail.mutable_metadata())["requested"] = "10\x1b[2J";
  detail.mutable_retry_after()->set_seconds(2);
  daemon_.distribution.FailNext(Refusal(grpc::StatusCode::RESOURCE_EXHAUSTED, detail));

  const CliRun run = Run({"--count", "10", "--all-or-nothing"});

  EXPECT_EQ(run.code, ExitCode::kRefused);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.error, HasSubstr("NOT_ENOUGH_PROXIES: fewer machines than asked for are free and fit (available 3, "
                                   "requested 10\\x1b[2J). It asks to wait 2s. "));
  EXPECT_THAT(run.error, HasSubstr("Repeat it with --request-id drawn-1"));
  EXPECT_EQ(daemon_.distribution.extracts().size(), 1u);
}

TEST_F(ExtractRepeat, ARefusalThatStandsIsNotRepeated) {
  ErrorDetail detail;
  detail.set_reason(REJECT_REASON_REQUEST_CONFLICT);
  detail.set_field("request_id");
  detail.set_message("it stood for another request");
  daemon_.distribution.FailNext(Refusal(grpc::StatusCode::ALREADY_EXISTS, detail));

  const CliRun run = Run({"--count", "1", "--request-id", "r-1"});

  EXPECT_EQ(run.code, ExitCode::kRefused);
  EXPECT_THAT(run.waits, IsEmpty());
  EXPECT_THAT(run.error, HasSubstr("REQUEST_CONFLICT in request_id: it stood for another request. Leave --request-id "
                                   "out: another is drawn.\n"));
}

TEST_F(ExtractRepeat, ADaemonThatWasNeverThereIsToldAtOnce) {
  const CliRun run = RunAt("127.0.0.1:1", {"extract", "--client", "c", "--count", "1"});

  EXPECT_EQ(run.code, ExitCode::kUnreachable);
  EXPECT_THAT(run.waits, IsEmpty());
  EXPECT_THAT(run.error, Not(HasSubstr("--request-id")));
}

}  // namespace
}  // namespace holdfast::cli
