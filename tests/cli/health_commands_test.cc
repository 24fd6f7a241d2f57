// The commands about checks: checks, check, checkers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/cli_run.h"
#include "tests/cli/fake_daemon.h"
#include "tests/cli/samples.h"
#include "tests/cli/status_details.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ChecksCommand, EachCheckIsARowAndOneLineSumsThemUp) {
  FakeDaemon daemon;
  daemon.pool.PutChecks(SampleHealth("http://198.18.0.1:8080"));
  admin::v1::ProxyHealth other;
  other.set_proxy_id("http://198.18.0.2:8080");
  *other.add_health() = SampleHealth("").health(0);
  daemon.pool.PutChecks(other);

  const CliRun run = RunAt(daemon.address(), {"checks"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_EQ(run.out,
            "PROXY                   LEVEL         STATE      PASSES  FAILURES  LAST OBSERVED         UNCHECKED  "
            "LATENCY  LAST FAILURE   EGRESS              NEXT DUE        CHECKER\n"
            "http://198.18.0.1:8080  basic         available       3         0  2026-08-31 23:59:55Z  5s         "
            "   80ms  -              -                   in 55s          -\n"
            "http://198.18.0.1:8080  egress        suspect         0         1  2026-08-31 23:47:55Z  12m 5s     "
            "      -  dial: refused  203.0.113.9, elite  -               checker-1\n"
            "http://198.18.0.1:8080  target shops  unknown         0         0  never                 always     "
            "      -  -              -                   1m 30s overdue  -\n"
            "http://198.18.0.2:8080  basic         available       3         0  2026-08-31 23:59:55Z  5s         "
            "   80ms  -              -                   in 55s          -\n"
            "\n4 checks of 2 proxies: 1 unknown, 2 available, 1 suspect; 1 never observed; longest unchecked: "
            "http://198.18.0.1:8080 egress, for 12m 5s; as of sequence 100\n");
}

TEST(ChecksCommand, FiltersGoAlong) {
  FakeDaemon daemon;

  const CliRun run = RunAt(daemon.address(), {"checks", "--proxy", "p-1", "--proxy", "p-2", "--level", "egress",
                                              "--state", "unhealthy", "--unchecked-for", "5m", "--limit", "7"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  const auto request = daemon.pool.list_checks_request();
  EXPECT_THAT(request.proxy_ids(), ElementsAre("p-1", "p-2"));
  EXPECT_EQ(request.level(), controlplane::v1::CHECK_LEVEL_EGRESS);
  EXPECT_EQ(request.state(), admin::v1::HEALTH_STATE_UNHEALTHY);
  EXPECT_EQ(request.unchecked_for().seconds(), 300);
  EXPECT_EQ(request.limit(), 7u);
}

TEST(ChecksCommand, WithoutFiltersNothingIsFiltered) {
  FakeDaemon daemon;

  const CliRun run = RunAt(daemon.address(), {"checks"});

  EXPECT_EQ(daemon.pool.list_checks_request().ByteSizeLong(), 0u);
  EXPECT_THAT(run.out, HasSubstr("\n0 checks of 0 proxies; as of sequence 100\n"));
}

TEST(ChecksCommand, MistakesAreFoundBeforeAnythingIsAsked) {
  const CliRun state_of_the_pool = RunCommand({"checks", "--state", "pending"});
  const CliRun no_level = RunCommand({"checks", "--level", "deep"});
  const CliRun no_time = RunCommand({"checks", "--unchecked-for", "long"});

  for (const CliRun* run : {&state_of_the_pool, &no_level, &no_time}) EXPECT_EQ(run->code, ExitCode::kCouldNotRun);
  EXPECT_THAT(state_of_the_pool.error, HasSubstr("\"pending\" is none of unknown|available|suspect|unhealthy"));
  EXPECT_THAT(no_level.error, HasSubstr("\"deep\" is none of basic|egress|target"));
  EXPECT_THAT(no_time.error, HasSubstr("\"long\" is no time"));
}

TEST(ChecksCommand, AListThatBreaksOffIsAFailureAndSumsNothingUp) {
  FakeDaemon daemon;
  daemon.pool.PutChecks(SampleHealth("p-1"));
  daemon.pool.RefuseLists(Refusal(grpc::StatusCode::ABORTED, controlplane::v1::REJECT_REASON_SLOW_READER, "too slow"));

  const CliRun text = RunAt(daemon.address(), {"checks"});
  const CliRun json = RunAt(daemon.address(), {"checks", "--json"});

  EXPECT_EQ(text.code, ExitCode::kRefused);
  EXPECT_THAT(text.out, Not(HasSubstr("as of sequence")));
  EXPECT_EQ(json.code, ExitCode::kRefused);
  EXPECT_TRUE(json.Json().is_discarded()) << "half a list must not parse as a whole one";
}

TEST(ChecksCommand, AnIdOfAProxyCannotWriteToTheTerminal) {
  FakeDaemon daemon;
  daemon.pool.PutChecks(SampleHealth("\x1b[2Jfake\n"));

  const CliRun run = RunAt(daemon.address(), {"checks"}, {.terminal = true});

  EXPECT_EQ(run.out.find('\x1b'), std::string::npos);
  EXPECT_THAT(run.out, HasSubstr("longest unchecked: \\x1b[2Jfake\\x0a egress"));
}

TEST(ChecksCommand, ACheckFromTheFutureIsNotNegativelyOld) {
  FakeDaemon daemon;
  admin::v1::ProxyHealth ahead = SampleHealth("p-1");
  ahead.mutable_health()->DeleteSubrange(1, 2);
  *ahead.mutable_health(0)->mutable_last_observed_at() = ToTimestamp(kTestNowMicros + 3'000'000);
  daemon.pool.PutChecks(ahead);

  const CliRun run = RunAt(daemon.address(), {"checks"});

  EXPECT_THAT(run.out, HasSubstr("longest unchecked: p-1 basic, for 0s"));
}

class CheckCommand : public ::testing::Test {
 protected:
  CliRun Run(std::vector<std::string> arguments, const CliSetup& setup = {}) {
    arguments.insert(arguments.begin(), "check");
    return RunAt(daemon_.address(), std::move(arguments), setup);
  }

  FakeDaemon daemon_;
};

TEST_F(CheckCommand, APassTellsWhatWasObservedAndWhatStandsAfterIt) {
  daemon_.pool.AnswerCheck(SampleCheck(controlplane::v1::VERDICT_PASS));

  const CliRun run = Run({"http://198.18.0.1:8080", "--level", "egress"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_EQ(run.out,
            "waiting for the egress check of http://198.18.0.1:8080, at most 1m\n"
            "check        egress check of http://198.18.0.1:8080\n"
            "verdict      pass\n"
            "ended at     response_headers, HTTP 200\n"
            "latency      80ms\n"
            "egress       203.0.113.9, elite\n"
            "state        available, 3 passes in a row; observed 2026-09-01 00:00:00Z (now); due 2026-09-01 00:10:00Z "
            "(in 10m)\n");
  EXPECT_EQ(run.error, "");
  const auto request = daemon_.pool.check_requests().at(0);
  EXPECT_EQ(request.proxy_id(), "http://198.18.0.1:8080");
  EXPECT_EQ(request.level(), controlplane::v1::CHECK_LEVEL_EGRESS);
  EXPECT_EQ(request.routing_id(), "");
}

TEST_F(CheckCommand, AFailureIsFoundWanting) {
  daemon_.pool.AnswerCheck(SampleCheck(controlplane::v1::VERDICT_FAIL));

  const CliRun run = Run({"p-1", "--level", "target", "--routing", "shops"});

  EXPECT_EQ(run.code, ExitCode::kFoundWanting);
  EXPECT_THAT(run.out, HasSubstr("verdict      fail\nended at     response_headers: timeout\nlatency      80ms\n"
                                 "egress       -\nstate        suspect, 1 failure in a row; "));
  EXPECT_THAT(run.error, HasSubstr("the target shops check of p-1 failed (response_headers: timeout)"));
  EXPECT_THAT(run.error, HasSubstr("`holdfast checks --proxy p-1`"));
  EXPECT_EQ(daemon_.pool.check_requests().at(0).routing_id(), "shops");
}

TEST_F(CheckCommand, AnInconclusiveOneCouldNotRun) {
  daemon_.pool.AnswerCheck(SampleCheck(controlplane::v1::VERDICT_INCONCLUSIVE));

  const CliRun run = Run({"p-1", "--level", "basic"});

  EXPECT_EQ(run.code, ExitCode::kCouldNotRun);
  EXPECT_THAT(run.out, HasSubstr("verdict      inconclusive\n"));
  EXPECT_THAT(run.error, HasSubstr("trouble of its own, which says nothing of the proxy"));
  EXPECT_THAT(run.error, HasSubstr("Run it again"));
}

TEST_F(CheckCommand, OneThatNobodyObservedInTimeEndsAsADeadline) {
  auto answer = SampleCheck(controlplane::v1::VERDICT_PASS);
  answer.clear_observation();
  answer.mutable_status()->clear_last_observed_at();
  daemon_.pool.AnswerCheck(answer);

  const CliRun run = Run({"p-1", "--level", "basic"});

  EXPECT_EQ(run.code, ExitCode::kDeadline);
  EXPECT_THAT(run.out, HasSubstr("verdict      none came in time\nended at     -\nlatency      -\n"));
  EXPECT_THAT(run.out, HasSubstr("; never observed; due "));
  EXPECT_THAT(run.error, HasSubstr("`holdfast checkers` shows who is active"));
}

TEST_F(CheckCommand, AVerdictThatThisProgramDoesNotKnowIsNoPass) {
  daemon_.pool.AnswerCheck(SampleCheck(static_cast<controlplane::v1::Verdict>(9)));

  const CliRun run = Run({"p-1", "--level", "basic"});

  EXPECT_EQ(run.code, ExitCode::kCouldNotRun);
  EXPECT_THAT(run.error, HasSubstr("the verdict \"unknown_9\""));
}

TEST_F(CheckCommand, ARoutingBelongsToATargetAndATargetToARouting) {
  const CliRun without = Run({"p-1", "--level", "target"});
  const CliRun too_much = Run({"p-1", "--level", "basic", "--routing", "shops"});
  const CliRun no_level = Run({"p-1"});

  for (const CliRun* run : {&without, &too_much, &no_level}) EXPECT_EQ(run->code, ExitCode::kCouldNotRun);
  EXPECT_THAT(without.error, HasSubstr("Name it with --routing"));
  EXPECT_THAT(too_much.error, HasSubstr("--routing goes with --level target only"));
  EXPECT_THAT(no_level.error, HasSubstr("--level is required"));
  EXPECT_TRUE(daemon_.pool.check_requests().empty());
}

TEST_F(CheckCommand, ItWaitsAsLongAsThePersonSays) {
  daemon_.pool.FallSilent();

  const CliRun run = Run({"p-1", "--level", "basic", "--deadline", "200ms"});

  EXPECT_EQ(run.code, ExitCode::kDeadline);
  EXPECT_THAT(run.out, HasSubstr("at most 200ms\n"));
  EXPECT_THAT(run.error, HasSubstr("took CheckProxy and then said nothing for 200ms"));
}

TEST_F(CheckCommand, OnATerminalTheWaitIsALineOfItsOwn) {
  daemon_.pool.AnswerCheck(SampleCheck(controlplane::v1::VERDICT_PASS));

  const CliRun run = Run({"p-1", "--level", "basic"}, {.terminal = true});

  EXPECT_THAT(run.out, HasSubstr("\r\x1b[K\x1b[?7lwaiting for the basic check of p-1, at most 1m\x1b[?7h\n"
                                 "check        basic check of p-1\n"));
}

TEST_F(CheckCommand, ForProgramsOnlyTheAnswerIsPrinted) {
  daemon_.pool.AnswerCheck(SampleCheck(controlplane::v1::VERDICT_FAIL));

  const CliRun run = Run({"p-1", "--level", "basic", "--json"});

  EXPECT_EQ(run.code, ExitCode::kFoundWanting);
  EXPECT_EQ(run.Json()["proxy_id"], "p-1");
  EXPECT_EQ(run.Json()["observation"]["verdict"], "fail");
  EXPECT_EQ(run.Json()["status"]["state"], "suspect");
}

TEST_F(CheckCommand, ARefusalIsToldWithItsReasonAndShowsNoVerdict) {
  daemon_.pool.RefuseChecks(
      Refusal(grpc::StatusCode::NOT_FOUND, controlplane::v1::REJECT_REASON_NOT_FOUND, "p-1 is not in the pool"));

  const CliRun run = Run({"p-1", "--level", "basic"});

  EXPECT_EQ(run.code, ExitCode::kRefused);
  EXPECT_THAT(run.error, HasSubstr("NOT_FOUND: p-1 is not in the pool"));
  EXPECT_THAT(run.out, Not(HasSubstr("verdict")));
}

TEST(CheckersCommand, EachIsShownWithItsTasks) {
  FakeDaemon daemon;
  daemon.fleet.Put(SampleChecker("checker-1"));
  auto draining = Draining(SampleChecker("checker-2"));
  draining.clear_zone();
  draining.set_attached(false);
  daemon.fleet.Put(draining);

  const CliRun run = RunAt(daemon.address(), {"checkers"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_EQ(run.out,
            "CHECKER    ZONE  STATE     ELIGIBLE  STREAM  TASKS  QUEUED  LAST HEARD  DRAIN                       "
            "SOFTWARE  SESSION\n"
            "checker-1  eu    active    yes       open       12       3  2s ago      -                           "
            "0.1.0     00112233445566778899aabbccddeeff\n"
            "checker-2  -     draining  cordoned  none       12       3  2s ago      started 1m ago, ends in 1m  "
            "0.1.0     00112233445566778899aabbccddeeff\n"
            "\n2 checker(s), as of sequence 4711\n");
}

TEST(CheckersCommand, OnlyCheckersAreAskedForAndClosedOnesOnDemand) {
  FakeDaemon daemon;

  RunAt(daemon.address(), {"checkers"});
  RunAt(daemon.address(), {"checkers", "--all"});

  const auto requests = daemon.fleet.requests();
  ASSERT_EQ(requests.size(), 2u);
  for (const auto& request : requests) EXPECT_EQ(request.kind(), controlplane::v1::SESSION_KIND_CHECKER);
  EXPECT_FALSE(requests[0].include_closed());
  EXPECT_TRUE(requests[1].include_closed());
}

TEST(CheckersCommand, EveryPageIsReadForPrograms) {
  FakeDaemon daemon;
  for (const char* member : {"checker-1", "checker-2", "checker-3"}) daemon.fleet.Put(SampleChecker(member));

  const CliRun run = RunAt(daemon.address(), {"checkers", "--json"});

  ASSERT_EQ(run.Json()["checkers"].size(), 3u);
  EXPECT_EQ(run.Json()["checkers"][2]["member_id"], "checker-3");
  EXPECT_EQ(run.Json()["checkers"][2]["inflight_count"], 12);
}

}  // namespace
}  // namespace holdfast::cli
