// holdfast drain: what is asked, what is shown while a session drains, and how it ends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/cli_run.h"
#include "tests/cli/fake_daemon.h"
#include "tests/cli/samples.h"
#include "tests/cli/status_details.h"

namespace holdfast::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSession = "00112233445566778899aabbccddeeff";

class DrainCommand : public ::testing::Test {
 protected:
  DrainCommand() {
    *answer_.mutable_session() = SampleDraining("worker-1");
    daemon_.fleet.AnswerDrain(answer_);
  }

  CliRun Run(std::vector<std::string> arguments, const CliSetup& setup = {}) {
    arguments.insert(arguments.begin(), "drain");
    return RunAt(daemon_.address(), std::move(arguments), setup);
  }
  void PlanDrained() { daemon_.fleet.PlanWatch({.progress = {SampleDrainEnd(admin::v1::CLOSE_REASON_DRAINED, 0)}}); }

  FakeDaemon daemon_;
  admin::v1::DrainSessionResponse answer_;
};

TEST_F(DrainCommand, EveryOptionGoesAlongAndADrainIsWatchedToItsEnd) {
  daemon_.fleet.PlanWatch({.progress = {SampleProgress(12, 3, {"http://198.18.0.1:8080", "http://198.18.0.2:8080"}),
                                        SampleProgress(1, 1, {"http://198.18.0.2:8080"}),
                                        SampleDrainEnd(admin::v1::CLOSE_REASON_DRAINED, 0)}});

  const CliRun run =
      Run({"worker-1", "--grace", "30s", "--keep-eligible", "--reason", "kernel", "--session", kSession});

  EXPECT_EQ(run.code, ExitCode::kDone) << run.error;
  EXPECT_EQ(run.out,
            "worker-1 drains; the deadline that stands is 2026-09-01 00:01:00Z (in 1m). Session "
            "00112233445566778899aabbccddeeff, log sequence 4711\n"
            "12 proxies and 3 requests left, deadline 2026-09-01 00:01:00Z; held up by http://198.18.0.1:8080, "
            "http://198.18.0.2:8080\n"
            "1 proxy and 1 request left, deadline 2026-09-01 00:01:00Z; held up by http://198.18.0.2:8080\n"
            "worker-1 is drained: all that it had was proven released\n");
  const auto request = daemon_.fleet.drains().at(0);
  EXPECT_EQ(request.kind(), controlplane::v1::SESSION_KIND_WORKER);
  EXPECT_EQ(request.member_id(), "worker-1");
  EXPECT_EQ(request.grace().seconds(), 30);
  EXPECT_TRUE(request.keep_eligible());
  EXPECT_FALSE(request.no_deadline());
  EXPECT_EQ(request.reason(), "kernel");
  EXPECT_EQ(request.expected_session_id(), kSession);
  const auto watch = daemon_.fleet.watches().at(0);
  EXPECT_EQ(watch.kind(), controlplane::v1::SESSION_KIND_WORKER);
  EXPECT_EQ(watch.member_id(), "worker-1");
  EXPECT_EQ(watch.session_id(), kSession);
}

TEST_F(DrainCommand, WithoutOptionsTheDaemonDecidesAndTheWorkerIsCordoned) {
  PlanDrained();

  const CliRun run = Run({"worker-1"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_THAT(run.out, HasSubstr("given nothing until `holdfast uncordon worker-1`"));
  EXPECT_FALSE(daemon_.fleet.drains().at(0).has_grace());
  EXPECT_FALSE(daemon_.fleet.drains().at(0).keep_eligible());
}

TEST_F(DrainCommand, AGraceOfZeroIsAGrace) {
  PlanDrained();

  Run({"worker-1", "--grace", "0"});

  ASSERT_TRUE(daemon_.fleet.drains().at(0).has_grace());
  EXPECT_EQ(daemon_.fleet.drains().at(0).grace().seconds(), 0);
}

TEST_F(DrainCommand, MistakesAreFoundBeforeAnythingIsAsked) {
  const CliRun no_time = Run({"worker-1", "--grace", "soon"});
  const CliRun too_long = Run({"worker-1", "--grace", "25h"});
  const CliRun both = Run({"worker-1", "--grace", "5s", "--no-deadline"});
  const CliRun watch = Run({"worker-1", "--watch", "--detach"});
  const CliRun nobody = Run({});

  for (const CliRun* run : {&no_time, &too_long, &both, &watch, &nobody}) {
    EXPECT_EQ(run->code, ExitCode::kCouldNotRun);
    EXPECT_TRUE(run->error.starts_with("holdfast: drain: ")) << run->error;
  }
  EXPECT_THAT(no_time.error, HasSubstr("\"soon\" is no time from 0 to 1d"));
  EXPECT_TRUE(daemon_.fleet.drains().empty());
}

TEST_F(DrainCommand, ADrainThatWasEndedByItsDeadlineIsFoundWanting) {
  daemon_.fleet.PlanWatch({.progress = {SampleDrainEnd(admin::v1::CLOSE_REASON_DRAIN_DEADLINE, 2)}});

  const CliRun run = Run({"worker-1"});

  EXPECT_EQ(run.code, ExitCode::kFoundWanting);
  EXPECT_THAT(run.out, HasSubstr("worker-1 is closed (drain_deadline), 2 proxies and 0 requests left\n"));
  EXPECT_THAT(run.error, HasSubstr("closed by its deadline; what it still had lapses"));
}

TEST_F(DrainCommand, ASessionThatEndedOtherwiseWasNotProven) {
  for (const auto reason : {admin::v1::CLOSE_REASON_SUPERSEDED, admin::v1::CLOSE_REASON_EXPIRED,
                            admin::v1::CLOSE_REASON_FENCED, admin::v1::CLOSE_REASON_RECOVERY}) {
    daemon_.fleet.PlanWatch({.progress = {SampleDrainEnd(reason, 1)}});

    const CliRun run = Run({"worker-1"});

    EXPECT_EQ(run.code, ExitCode::kFoundWanting);
    EXPECT_THAT(run.error, HasSubstr("over before its drain was"));
  }
}

TEST_F(DrainCommand, OneThatWasDrainingAlreadyIsToldWithTheDeadlineThatStands) {
  answer_.set_already_draining(true);
  daemon_.fleet.AnswerDrain(answer_);
  PlanDrained();

  const CliRun run = Run({"worker-1", "--no-deadline"});

  EXPECT_TRUE(daemon_.fleet.drains().at(0).no_deadline());
  EXPECT_THAT(run.out,
              HasSubstr("worker-1 was draining already, since 2026-08-31 23:59:00Z (1m ago); the deadline that "
                        "stands is 2026-09-01 00:01:00Z (in 1m)"));
}

TEST_F(DrainCommand, NoDeadlineIsSaidInWords) {
  answer_.mutable_session()->clear_drain_deadline_at();
  daemon_.fleet.AnswerDrain(answer_);
  auto progress = SampleProgress(1, 0, {});
  progress.mutable_session()->clear_drain_deadline_at();
  daemon_.fleet.PlanWatch({.progress = {progress, SampleDrainEnd(admin::v1::CLOSE_REASON_DRAINED, 0)}});

  const CliRun run = Run({"worker-1", "--no-deadline"});

  EXPECT_THAT(run.out, HasSubstr("there is no deadline"));
  EXPECT_THAT(run.out, HasSubstr("1 proxy and 0 requests left, no deadline\n"));
}

TEST_F(DrainCommand, OnATerminalOneLineRewritesItselfAndNeverWraps) {
  daemon_.fleet.PlanWatch({.progress = {SampleProgress(12, 3, {}), SampleProgress(1, 1, {}),
                                        SampleDrainEnd(admin::v1::CLOSE_REASON_DRAINED, 0)}});

  const CliRun run = Run({"worker-1", "--keep-eligible"}, {.terminal = true});

  EXPECT_THAT(run.out, HasSubstr("\r\x1b[K\x1b[?7l12 proxies and 3 requests left, deadline 2026-09-01 00:01:00Z\x1b[?7h"
                                 "\r\x1b[K\x1b[?7l1 proxy and 1 request left, deadline 2026-09-01 00:01:00Z\x1b[?7h\n"
                                 "worker-1 is drained"));
}

TEST_F(DrainCommand, WhatDidNotChangeIsNotWrittenAgain) {
  const auto same = SampleProgress(3, 0, {});
  daemon_.fleet.PlanWatch({.progress = {same, same, SampleDrainEnd(admin::v1::CLOSE_REASON_DRAINED, 0)}});

  const CliRun run = Run({"worker-1"});

  EXPECT_EQ(run.out.find("3 proxies"), run.out.rfind("3 proxies"));
}

TEST_F(DrainCommand, AnIdOfAProxyCannotWriteToTheTerminal) {
  daemon_.fleet.PlanWatch(
      {.progress = {SampleProgress(1, 1, {"\x1b[2Jfake\n"}), SampleDrainEnd(admin::v1::CLOSE_REASON_DRAINED, 0)}});

  const CliRun run = Run({"worker-1"});

  EXPECT_THAT(run.out, HasSubstr("held up by \\x1b[2Jfake\\x0a\n"));
}

TEST_F(DrainCommand, AStreamThatBreaksIsOpenedAgainUntilTheDrainIsOver) {
  daemon_.fleet.PlanWatch({.progress = {SampleProgress(3, 0, {})}, .status = {grpc::StatusCode::UNAVAILABLE, "gone"}});
  daemon_.fleet.PlanWatch({.progress = {}, .status = {grpc::StatusCode::UNAVAILABLE, "gone"}});
  daemon_.fleet.PlanWatch({.progress = {}, .status = grpc::Status::OK});
  PlanDrained();

  const CliRun run = Run({"worker-1"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_EQ(daemon_.fleet.drains().size(), 1u) << "the drain is asked for once";
  EXPECT_EQ(daemon_.fleet.watches().size(), 4u);
  ASSERT_EQ(run.waits.size(), 3u);
  EXPECT_LT(run.waits[0], run.waits[1]);
  EXPECT_EQ(run.error.find("the drain goes on"), run.error.rfind("the drain goes on")) << "told once";
}

TEST_F(DrainCommand, AStreamThatIsRefusedIsNotOpenedAgain) {
  daemon_.fleet.PlanWatch(
      {.status = Refusal(grpc::StatusCode::NOT_FOUND, controlplane::v1::REJECT_REASON_NOT_FOUND, "no such session")});

  const CliRun run = Run({"worker-1"});

  EXPECT_EQ(run.code, ExitCode::kRefused);
  EXPECT_THAT(run.error, HasSubstr("NOT_FOUND: no such session"));
  EXPECT_TRUE(run.waits.empty());
}

TEST_F(DrainCommand, CtrlCLeavesTheMonitorAndSaysThatTheDrainGoesOn) {
  Interrupt interrupt;
  daemon_.fleet.PlanWatch(
      {.progress = {SampleProgress(3, 1, {})}, .holds = true, .then = [&] { interrupt.Request(); }});

  const CliRun run = Run({"worker-1", "--json"}, {.interrupt = &interrupt});

  EXPECT_EQ(run.code, ExitCode::kCouldNotRun);
  EXPECT_THAT(run.error, HasSubstr("the drain of worker-1 goes on"));
  EXPECT_THAT(run.error, HasSubstr("`holdfast drain worker-1 --watch`"));
  EXPECT_EQ(run.Json()["done"], false);
  EXPECT_EQ(run.Json()["log_sequence"], 4711);
}

TEST_F(DrainCommand, CtrlCWhileItWaitsForTheDaemonLeavesTheMonitorToo) {
  daemon_.fleet.PlanWatch({.progress = {SampleProgress(3, 1, {})}, .status = {grpc::StatusCode::UNAVAILABLE, "gone"}});

  const CliRun run = Run({"worker-1"}, {.wait = [](std::chrono::milliseconds) { return false; }});

  EXPECT_EQ(run.code, ExitCode::kCouldNotRun);
  EXPECT_THAT(run.error, HasSubstr("goes on"));
}

TEST_F(DrainCommand, DetachedNobodyLooksOn) {
  const CliRun text = Run({"worker-1", "--detach"});
  const CliRun json = Run({"worker-1", "--detach", "--json"});

  EXPECT_EQ(text.code, ExitCode::kDone);
  EXPECT_THAT(text.out, HasSubstr("`holdfast drain worker-1 --watch` shows how far it is"));
  EXPECT_EQ(json.Json()["session"]["state"], "draining");
  EXPECT_TRUE(daemon_.fleet.watches().empty());
}

TEST_F(DrainCommand, WatchingAsksForNothing) {
  PlanDrained();

  const CliRun run = Run({"worker-1", "--watch", "--json"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_TRUE(daemon_.fleet.drains().empty());
  EXPECT_EQ(daemon_.fleet.watches().at(0).session_id(), "");
  EXPECT_TRUE(run.Json()["log_sequence"].is_null());
  EXPECT_EQ(run.Json()["proven"], true);
}

TEST_F(DrainCommand, OneWithoutAnOpenSessionIsOverAtOnce) {
  *answer_.mutable_session() = SampleDrainEnd(admin::v1::CLOSE_REASON_EXPIRED, 0).session();
  daemon_.fleet.AnswerDrain(answer_);

  const CliRun expired = Run({"worker-1"});
  answer_.mutable_session()->set_close_reason(admin::v1::CLOSE_REASON_DRAINED);
  daemon_.fleet.AnswerDrain(answer_);
  const CliRun drained = Run({"worker-1"});

  EXPECT_EQ(expired.code, ExitCode::kFoundWanting);
  EXPECT_THAT(expired.out, HasSubstr("worker-1 has no open session; its last one was closed: expired\n"));
  EXPECT_EQ(drained.code, ExitCode::kDone);
  EXPECT_TRUE(daemon_.fleet.watches().empty());
}

// Of a checker that had so many tasks.
admin::v1::DrainProgress CheckerProgress(std::uint64_t tasks) {
  admin::v1::DrainProgress progress;
  *progress.mutable_session() = Draining(SampleChecker("checker-1"));
  progress.set_requests_left(tasks);
  return progress;
}

admin::v1::DrainProgress CheckerEnd(admin::v1::CloseReason reason, std::uint64_t tasks) {
  admin::v1::DrainProgress end = CheckerProgress(tasks);
  end.mutable_session()->set_state(controlplane::v1::SESSION_STATE_CLOSED);
  end.mutable_session()->set_close_reason(reason);
  end.set_done(true);
  return end;
}

class CheckerDrain : public DrainCommand {
 protected:
  CheckerDrain() {
    *answer_.mutable_session() = CheckerProgress(0).session();
    daemon_.fleet.AnswerDrain(answer_);
  }
};

TEST_F(CheckerDrain, ItsTasksAreWhatIsLeft) {
  daemon_.fleet.PlanWatch(
      {.progress = {CheckerProgress(12), CheckerProgress(1), CheckerEnd(admin::v1::CLOSE_REASON_DRAINED, 0)}});

  const CliRun run = Run({"checker-1", "--kind", "checker"});

  EXPECT_EQ(run.code, ExitCode::kDone) << run.error;
  EXPECT_EQ(run.out,
            "checker-1 drains; the deadline that stands is 2026-09-01 00:01:00Z (in 1m). Session "
            "00112233445566778899aabbccddeeff, log sequence 4711\n"
            "Later sessions of it are given nothing until `holdfast uncordon checker-1 --kind checker`.\n"
            "12 tasks left, deadline 2026-09-01 00:01:00Z\n"
            "1 task left, deadline 2026-09-01 00:01:00Z\n"
            "checker-1 is drained: it has no task left\n");
  EXPECT_EQ(daemon_.fleet.drains().at(0).kind(), controlplane::v1::SESSION_KIND_CHECKER);
  EXPECT_EQ(daemon_.fleet.drains().at(0).member_id(), "checker-1");
  EXPECT_EQ(daemon_.fleet.watches().at(0).kind(), controlplane::v1::SESSION_KIND_CHECKER);
}

TEST_F(CheckerDrain, WhatItsDeadlineCutsIsCheckedAgainAndHasNoOwner) {
  daemon_.fleet.PlanWatch({.progress = {CheckerEnd(admin::v1::CLOSE_REASON_DRAIN_DEADLINE, 3)}});

  const CliRun run = Run({"checker-1", "--kind", "checker"});

  EXPECT_EQ(run.code, ExitCode::kFoundWanting);
  EXPECT_THAT(run.out, HasSubstr("checker-1 is closed (drain_deadline), 3 tasks left\n"));
  EXPECT_THAT(run.error, HasSubstr("the tasks that it still had are cancelled, and their checks are due again"));
  EXPECT_THAT(run.error, Not(HasSubstr("--owner")));
}

TEST_F(CheckerDrain, WhatIsSaidToBeTypedNextNamesTheKind) {
  Interrupt interrupt;
  daemon_.fleet.PlanWatch({.progress = {CheckerProgress(3)}, .holds = true, .then = [&] { interrupt.Request(); }});

  const CliRun left = Run({"checker-1", "--kind", "checker"}, {.interrupt = &interrupt});
  const CliRun detached = Run({"checker-1", "--kind", "checker", "--detach"});

  EXPECT_THAT(left.error, HasSubstr("`holdfast drain checker-1 --kind checker --watch`"));
  EXPECT_THAT(left.error, HasSubstr("`holdfast sessions --member checker-1 --kind checker`"));
  EXPECT_THAT(detached.out, HasSubstr("`holdfast drain checker-1 --kind checker --watch` shows how far it is"));
}

TEST_F(DrainCommand, ARefusalIsToldWithItsReason) {
  daemon_.fleet.Refuse(Refusal(grpc::StatusCode::FAILED_PRECONDITION, controlplane::v1::REJECT_REASON_FAILED_CONDITION,
                               "another session is current"));

  const CliRun run = Run({"worker-1", "--session", kSession});

  EXPECT_EQ(run.code, ExitCode::kRefused);
  EXPECT_THAT(run.error, HasSubstr("FAILED_CONDITION: another session is current"));
  EXPECT_THAT(run.out, Not(HasSubstr("drains")));
}

}  // namespace
}  // namespace holdfast::cli
