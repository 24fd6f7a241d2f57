// The commands that act on members and the daemon: fence, reclaim, cordon, uncordon, alarms, clock.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/cli_run.h"
#include "tests/cli/fake_daemon.h"
#include "tests/cli/samples.h"
#include "tests/cli/status_details.h"
#include "tools/cli/enum_word.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

admin::v1::FenceSessionResponse Fenced() {
  admin::v1::FenceSessionResponse response;
  *response.mutable_session() = SampleDrainEnd(admin::v1::CLOSE_REASON_FENCED, 3).session();
  *response.mutable_last_owned_until() = ToTimestamp(kTestNowMicros + 35'000'000);
  return response;
}

TEST(FenceCommand, SaysUntilWhenWhatItHadMayBeInUse) {
  FakeDaemon daemon;
  daemon.fleet.AnswerFence(Fenced());

  const CliRun run = RunAt(daemon.address(), {"fence", "worker-1", "--reason", "stolen", "--session", "s-1"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_THAT(run.out, HasSubstr("worker-1 is fenced: session 00112233445566778899aabbccddeeff is closed (fenced), log "
                                 "sequence 4711\n"));
  EXPECT_THAT(run.out, HasSubstr("may be in use until 2026-09-01 00:00:35Z (in 35s)"));
  EXPECT_THAT(run.out, HasSubstr("given nothing until `holdfast uncordon worker-1`"));
  const auto request = daemon.fleet.fences().at(0);
  EXPECT_EQ(request.kind(), controlplane::v1::SESSION_KIND_WORKER);
  EXPECT_EQ(request.member_id(), "worker-1");
  EXPECT_EQ(request.reason(), "stolen");
  EXPECT_EQ(request.expected_session_id(), "s-1");
  EXPECT_FALSE(request.keep_eligible());
}

TEST(FenceCommand, OneThatHadNothingLeavesNothing) {
  FakeDaemon daemon;
  auto fenced = Fenced();
  fenced.clear_last_owned_until();
  daemon.fleet.AnswerFence(fenced);

  const CliRun run = RunAt(daemon.address(), {"fence", "worker-1", "--reason", "r", "--keep-eligible"});

  EXPECT_THAT(run.out, HasSubstr("nothing that could still be in use"));
  EXPECT_EQ(run.out.find("uncordon"), std::string::npos);
  EXPECT_TRUE(daemon.fleet.fences().at(0).keep_eligible());
}

TEST(FenceCommand, OfACheckerTheTasksAreCancelled) {
  FakeDaemon daemon;
  admin::v1::FenceSessionResponse fenced;
  *fenced.mutable_session() = SampleChecker("checker-1");
  fenced.mutable_session()->set_close_reason(admin::v1::CLOSE_REASON_FENCED);
  daemon.fleet.AnswerFence(fenced);

  const CliRun run = RunAt(daemon.address(), {"fence", "checker-1", "--kind", "checker", "--reason", "it lies"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_THAT(run.out,
              HasSubstr("closed (fenced), log sequence 4711\nThe tasks that it had are cancelled; their checks "
                        "are due again, and go to other checkers.\nLater sessions of it are given nothing "
                        "until `holdfast uncordon checker-1 --kind checker`.\n"));
  EXPECT_EQ(daemon.fleet.fences().at(0).kind(), controlplane::v1::SESSION_KIND_CHECKER);
}

TEST(ReclaimCommand, TellsWhatDrainsWhatWasFreeAndWhatIsUnknown) {
  FakeDaemon daemon;

  const CliRun run = RunAt(daemon.address(), {"reclaim", "http://a:1", "-", "--reason", "needed elsewhere"},
                           {.in = "free-1\r\n\nhttp://b:1\ngone-1\n"});

  EXPECT_EQ(run.code, ExitCode::kFoundWanting);
  EXPECT_THAT(run.out, HasSubstr("2 draining, 1 unowned already, 1 unknown; log sequence 4711\nunknown: gone-1\n"));
  ASSERT_EQ(daemon.fleet.reclaims().size(), 1u);
  EXPECT_EQ(daemon.fleet.reclaims()[0].reason(), "needed elsewhere");
  EXPECT_THAT(daemon.fleet.reclaims()[0].proxy_ids(), ElementsAre("http://a:1", "free-1", "http://b:1", "gone-1"));
}

TEST(ReclaimCommand, KnownIdsAloneAreWell) {
  FakeDaemon daemon;

  const CliRun run = RunAt(daemon.address(), {"reclaim", "http://a:1", "--reason", "r", "--json"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_EQ(run.Json()["draining"], 1);
}

TEST(ReclaimCommand, MoreIdsThanACallMayHoldGoInSeveralCalls) {
  FakeDaemon daemon;
  std::string many;
  for (int i = 0; i < 20'001; ++i) many += "http://198.18.0.1:" + std::to_string(i) + "\n";
  std::string large;
  for (int i = 0; i < 9'000; ++i) large += std::string(1000, 'x') + std::to_string(i) + "\n";

  const CliRun by_count = RunAt(daemon.address(), {"reclaim", "-", "--reason", "r", "--json"}, {.in = many});
  const std::size_t calls = daemon.fleet.reclaims().size();
  const CliRun by_size = RunAt(daemon.address(), {"reclaim", "-", "--reason", "r", "--json"}, {.in = large});

  EXPECT_EQ(by_count.Json()["draining"], 20'001);
  EXPECT_EQ(calls, 3u);
  EXPECT_EQ(by_size.Json()["draining"], 9'000) << by_size.error;
}

TEST(ReclaimCommand, NothingNamedIsAMistake) {
  const CliRun run = RunCommand({"reclaim", "-", "--reason", "r"}, {.in = "\n"});

  EXPECT_EQ(run.code, ExitCode::kCouldNotRun);
  EXPECT_THAT(run.error, HasSubstr("named no proxy"));
}

TEST(CordonCommands, SetAndLiftIt) {
  FakeDaemon daemon;

  const CliRun cordoned = RunAt(daemon.address(), {"cordon", "worker-9", "--reason", "bad disk"});
  const CliRun lifted = RunAt(daemon.address(), {"uncordon", "worker-9"});

  EXPECT_EQ(cordoned.out, "worker-9 is given nothing new until `holdfast uncordon worker-9`; log sequence 4711\n");
  EXPECT_EQ(lifted.out, "worker-9 may be given work again; log sequence 4711\n");
  const auto requests = daemon.fleet.eligibilities();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_FALSE(requests[0].eligible());
  EXPECT_EQ(requests[0].kind(), controlplane::v1::SESSION_KIND_WORKER);
  EXPECT_EQ(requests[0].reason(), "bad disk");
  EXPECT_TRUE(requests[1].eligible());
}

TEST(CordonCommands, ACheckerIsNamedByItsKind) {
  FakeDaemon daemon;

  const CliRun cordoned =
      RunAt(daemon.address(), {"cordon", "checker-1", "--kind", "checker", "--reason", "its uplink is down"});
  const CliRun lifted = RunAt(daemon.address(), {"uncordon", "checker-1", "--kind", "checker", "--json"});

  EXPECT_EQ(cordoned.out,
            "checker-1 is given nothing new until `holdfast uncordon checker-1 --kind checker`; log sequence 4711\n");
  EXPECT_EQ(lifted.Json()["kind"], "checker");
  for (const auto& request : daemon.fleet.eligibilities()) {
    EXPECT_EQ(request.kind(), controlplane::v1::SESSION_KIND_CHECKER);
  }
}

TEST(FleetCommands, OnlyWorkersAndCheckersAreActedOn) {
  for (const char* command : {"drain", "fence", "cordon", "uncordon"}) {
    const CliRun run = RunCommand({command, "agent-1", "--kind", "agent", "--reason", "r"});

    EXPECT_EQ(run.code, ExitCode::kCouldNotRun) << command;
    EXPECT_THAT(run.error, HasSubstr("\"agent\" is none of worker|checker"));
  }
}

TEST(FleetCommands, AReasonIsAskedForWhereTheContractDoes) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"fence", "worker-1"},
                                                    {"reclaim", "p"},
                                                    {"cordon", "worker-1"},
                                                    {"alarms", "clear", "sync_stalled"},
                                                    {"clock", "accept"}}) {
    const CliRun run = RunCommand(arguments);

    EXPECT_EQ(run.code, ExitCode::kCouldNotRun) << arguments[0];
    EXPECT_THAT(run.error, HasSubstr("--reason is required"));
  }
}

TEST(FleetCommands, ARefusalEndsWithFour) {
  FakeDaemon daemon;
  daemon.fleet.Refuse(
      Refusal(grpc::StatusCode::NOT_FOUND, controlplane::v1::REJECT_REASON_NOT_FOUND, "worker-7 was never seen"));

  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"fence", "worker-7", "--reason", "r"},
                                                    {"reclaim", "p", "--reason", "r"},
                                                    {"cordon", "worker-7", "--reason", "r"},
                                                    {"alarms", "clear", "hold_off", "--reason", "r"},
                                                    {"clock", "accept", "--reason", "r"}}) {
    const CliRun run = RunAt(daemon.address(), arguments);

    EXPECT_EQ(run.code, ExitCode::kRefused) << arguments[0];
    EXPECT_THAT(run.error, HasSubstr("NOT_FOUND: worker-7 was never seen"));
    EXPECT_EQ(run.out, "");
  }
}

TEST(AlarmsCommand, EachIsShownWithItsRunbook) {
  FakeDaemon daemon;
  daemon.fleet.PutAlarm(SampleAlarm(admin::v1::ALARM_KIND_SNAPSHOT_REFUSED, "worker-1"));
  daemon.fleet.PutAlarm(SampleAlarm(admin::v1::ALARM_KIND_SYNC_STALLED, ""));

  const CliRun run = RunAt(daemon.address(), {"alarms"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_EQ(
      run.out,
      "KIND              SUBJECT   SINCE                          DETAIL         RUNBOOK\n"
      "snapshot_refused  worker-1  2026-08-31 23:58:00Z (2m ago)  what happened  docs/operations/alarms.md#a-kind\n"
      "sync_stalled      -         2026-08-31 23:58:00Z (2m ago)  what happened  docs/operations/alarms.md#a-kind\n"
      "\n2 alarm(s)\n");
}

TEST(AlarmsCommand, NoneIsSaidInWords) {
  FakeDaemon daemon;

  EXPECT_EQ(RunAt(daemon.address(), {"alarms"}).out, "no alarm stands\n");
  EXPECT_EQ(RunAt(daemon.address(), {"alarms", "--json"}).Json()["alarms"].size(), 0u);
}

TEST(AlarmsCommand, ClearingEndsTheOneThatWasNamed) {
  FakeDaemon daemon;
  daemon.fleet.PutAlarm(SampleAlarm(admin::v1::ALARM_KIND_DRAIN_FORCED, "worker-1"));

  const CliRun other = RunAt(daemon.address(), {"alarms", "clear", "drain_forced", "worker-2", "--reason", "seen"});
  const CliRun cleared = RunAt(daemon.address(), {"alarms", "clear", "DRAIN_FORCED", "worker-1", "--reason", "seen"});
  const CliRun again = RunAt(daemon.address(), {"alarms", "clear", "drain_forced", "worker-1", "--reason", "seen"});

  EXPECT_EQ(other.code, ExitCode::kFoundWanting);
  EXPECT_EQ(cleared.code, ExitCode::kDone);
  EXPECT_EQ(cleared.out, "alarm drain_forced of worker-1 is cleared; log sequence 4711\n");
  EXPECT_EQ(again.code, ExitCode::kFoundWanting);
  EXPECT_THAT(again.error, HasSubstr("no alarm drain_forced of worker-1 stands"));
  EXPECT_EQ(daemon.fleet.clears().at(1).reason(), "seen");
  EXPECT_EQ(daemon.fleet.clears().at(1).subject(), "worker-1");
}

TEST(AlarmsCommand, EveryKindOfTheContractCanBeNamed) {
  FakeDaemon daemon;
  const std::vector<std::string> kinds = EnumWords<admin::v1::AlarmKind>();
  for (const std::string& kind : kinds) {
    daemon.fleet.PutAlarm(SampleAlarm(*ParseEnumWord<admin::v1::AlarmKind>(kind), "who"));

    const CliRun run = RunAt(daemon.address(), {"alarms", "clear", kind, "who", "--reason", "seen"});

    EXPECT_EQ(run.code, ExitCode::kDone) << kind << ": " << run.error;
  }

  EXPECT_THAT(kinds, ::testing::IsSupersetOf({"health_frozen", "checking_short", "judge_silent"}));
  EXPECT_EQ(RunAt(daemon.address(), {"alarms"}).out, "no alarm stands\n");
}

TEST(AlarmsCommand, OneThatEndsByItselfIsRefusedWithThePlaceToLook) {
  FakeDaemon daemon;
  daemon.fleet.Refuse(Refusal(grpc::StatusCode::FAILED_PRECONDITION, controlplane::v1::REJECT_REASON_FAILED_CONDITION,
                              "this alarm clears itself; its runbook says how to end it"));

  const CliRun run = RunAt(daemon.address(), {"alarms", "clear", "judge_silent", "basic", "--reason", "seen"});

  EXPECT_EQ(run.code, ExitCode::kRefused);
  EXPECT_THAT(run.error, HasSubstr("its runbook says how to end it. Look at what stands now before you run it again."));
}

TEST(AlarmsCommand, AKindThatIsNoneIsAMistake) {
  const CliRun run = RunCommand({"alarms", "clear", "fire", "--reason", "r"});

  EXPECT_EQ(run.code, ExitCode::kCouldNotRun);
  EXPECT_THAT(run.error, HasSubstr("\"fire\" is none of health_frozen|instance_conflict|"));
}

TEST(ClockCommand, StatusShowsBothClocksAndTheAlarm) {
  FakeDaemon daemon;
  auto status = SampleStatus();
  daemon.audit.SetStatus(status);
  const CliRun well = RunAt(daemon.address(), {"clock", "status"});
  status.mutable_clock_offset()->set_seconds(-90);
  status.mutable_clock_offset()->set_nanos(0);
  daemon.audit.SetStatus(status);
  daemon.fleet.PutAlarm(SampleAlarm(admin::v1::ALARM_KIND_SYNC_STALLED, ""));
  daemon.fleet.PutAlarm(SampleAlarm(admin::v1::ALARM_KIND_CLOCK_JUMPED, ""));

  const CliRun off = RunAt(daemon.address(), {"clock", "status"});
  const CliRun json = RunAt(daemon.address(), {"clock", "status", "--json"});

  EXPECT_EQ(well.out, "log clock  2026-09-01 00:00:00Z, 2ms ahead of the wall clock\nalarm      none\n");
  EXPECT_EQ(off.out,
            "log clock  2026-09-01 00:00:00Z, 1m 30s behind the wall clock\n"
            "alarm      since 2026-08-31 23:58:00Z (2m ago): what happened (docs/operations/alarms.md#a-kind)\n");
  EXPECT_EQ(json.Json()["clock_offset_ms"], -90'000);
  EXPECT_EQ(json.Json()["alarm"]["kind"], "clock_jumped");
}

TEST(ClockCommand, AcceptSaysHowFarItMoved) {
  FakeDaemon daemon;

  const CliRun run = RunAt(daemon.address(), {"clock", "accept", "--reason", "the host slept"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_THAT(run.out, HasSubstr("moved forward by 1m 30s"));
  EXPECT_EQ(daemon.fleet.accepts().at(0).reason(), "the host slept");
}

}  // namespace
}  // namespace holdfast::cli
