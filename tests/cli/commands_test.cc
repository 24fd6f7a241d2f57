// The commands that ask: status, sessions, proxies, routings, log, audit; and how the command line itself behaves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/cli/cli_run.h"
#include "tests/cli/fake_daemon.h"
#include "tests/cli/samples.h"
#include "tests/cli/status_details.h"
#include "tools/cli/routings_file.h"

namespace holdfast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(CommandLine, MistakesEndWithTwoAndSayWhatToDo) {
  const CliRun nothing = RunCommand({});
  const CliRun unknown = RunCommand({"frobnicate"});
  const CliRun bad_choice = RunCommand({"proxies", "--state", "sleepy"});
  const CliRun bad_server = RunCommand({"--server", "192.0.2.1:7443", "status"});
  const CliRun bad_deadline = RunCommand({"--deadline", "soon", "status"});

  for (const CliRun* run : {&nothing, &unknown, &bad_choice, &bad_server, &bad_deadline}) {
    EXPECT_EQ(run->code, ExitCode::kCouldNotRun);
    EXPECT_EQ(run->out, "");
    EXPECT_TRUE(run->error.starts_with("holdfast: ")) << run->error;
  }
  EXPECT_THAT(unknown.error, HasSubstr("\"frobnicate\" is no command"));
  EXPECT_THAT(bad_choice.error, HasSubstr("available|suspect"));
  EXPECT_THAT(bad_server.error, HasSubstr("not a loopback address"));
}

TEST(CommandLine, HelpAndVersionEndWithZero) {
  const CliRun help = RunCommand({"--help"});
  const CliRun of_command = RunCommand({"import", "--help"});
  const CliRun version = RunCommand({"--version"});

  EXPECT_EQ(help.code, ExitCode::kDone);
  EXPECT_THAT(help.out, HasSubstr("3 unreachable    4 refused    5 deadline"));
  EXPECT_EQ(of_command.code, ExitCode::kDone);
  EXPECT_THAT(of_command.out, HasSubstr("--secrets-out"));
  EXPECT_EQ(version.out, "holdfast 0.1.0\n");
}

TEST(CommandLine, TheServerIsTheOptionThenTheVariable) {
  FakeDaemon daemon;
  daemon.audit.SetStatus(SampleStatus());

  const CliRun by_variable = RunCommand({"status"}, {.variables = {{"HOLDFAST_SERVER", daemon.address()}}});
  const CliRun by_option = RunAt(daemon.address(), {"status"}, {.variables = {{"HOLDFAST_SERVER", "127.0.0.1:1"}}});
  const CliRun bad_variable = RunCommand({"status"}, {.variables = {{"HOLDFAST_SERVER", "nowhere"}}});

  EXPECT_EQ(by_variable.code, ExitCode::kDone);
  EXPECT_EQ(by_option.code, ExitCode::kDone);
  EXPECT_EQ(bad_variable.code, ExitCode::kCouldNotRun);
  EXPECT_THAT(bad_variable.error, HasSubstr("HOLDFAST_SERVER: "));
}

TEST(ExitCodes, UnreachableRefusedAndDeadlineAreToldApart) {
  FakeDaemon refusing;
  controlplane::v1::ErrorDetail recovering;
  recovering.set_reason(controlplane::v1::REJECT_REASON_NOT_READY);
  recovering.set_message("recovering");
  recovering.mutable_retry_after()->set_seconds(2);
  refusing.audit.RefuseStatus(Refusal(grpc::StatusCode::UNAVAILABLE, recovering));
  FakeDaemon silent;
  silent.audit.FallSilent();

  const CliRun unreachable = RunAt("127.0.0.1:1", {"status"});
  const CliRun refused = RunAt(refusing.address(), {"status"});
  const CliRun late = RunAt(silent.address(), {"status", "--deadline", "1s"});

  EXPECT_EQ(unreachable.code, ExitCode::kUnreachable);
  EXPECT_THAT(unreachable.error, HasSubstr("127.0.0.1:1"));
  EXPECT_EQ(refused.code, ExitCode::kRefused);
  EXPECT_THAT(refused.error, HasSubstr("NOT_READY: recovering"));
  EXPECT_THAT(refused.error, HasSubstr("wait 2s"));
  EXPECT_EQ(late.code, ExitCode::kDeadline);
  EXPECT_THAT(late.error, HasSubstr("GetStatus"));
}

TEST(StatusCommand, OneScreenTellsWhatAPersonOnCallAsks) {
  FakeDaemon daemon;
  daemon.audit.SetStatus(SampleStatus());

  const CliRun run = RunAt(daemon.address(), {"status"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_THAT(run.out, HasSubstr("HOLDING OFF until 2026-09-01 00:00:25Z (in 25s): the log was recovered"));
  EXPECT_THAT(run.out, HasSubstr("2 RAISED"));
  EXPECT_THAT(run.out, HasSubstr("worker: 8 active, 1 draining"));
  EXPECT_THAT(run.out, HasSubstr("available: 4,000 granted, 12 unowned"));
  EXPECT_THAT(run.out, HasSubstr("1,200 under way; waiting for a checker: basic since 7s, target since 1m 30s\n"));
  EXPECT_THAT(run.out, HasSubstr("12ms ago, queue 2.0 KiB"));
  EXPECT_THAT(run.out, HasSubstr("3.0 MiB (disk free 120.0 GiB)"));
  EXPECT_THAT(run.out, HasSubstr("to 12,300, 45 behind"));
  EXPECT_THAT(run.out, HasSubstr("2ms ahead of the wall clock"));
  EXPECT_THAT(run.out, HasSubstr("INSECURE"));
  EXPECT_THAT(run.out, HasSubstr("configuration efefefefefef"));
  EXPECT_LE(std::count(run.out.begin(), run.out.end(), '\n'), 24) << "one screen";
}

TEST(StatusCommand, ProxiesAndMembersAreCountedByStateInTheOrderOfTheContract) {
  FakeDaemon daemon;
  auto status = SampleStatus();
  (*status.mutable_sessions())["checker/active"] = 2;
  (*status.mutable_sessions())["checker/draining"] = 1;
  (*status.mutable_proxies())["expired/revoking"] = 3;
  (*status.mutable_proxies())["pending/unowned"] = 40;
  (*status.mutable_proxies())["suspect/granted"] = 5;
  (*status.mutable_proxies())["unhealthy/unowned"] = 6;
  (*status.mutable_proxies())["asleep/unowned"] = 1;
  daemon.audit.SetStatus(status);

  const CliRun run = RunAt(daemon.address(), {"status"});

  EXPECT_THAT(run.out, HasSubstr("sessions     worker: 8 active, 1 draining (9 in all)\n"
                                 "             checker: 2 active, 1 draining (3 in all)\n"
                                 "proxies      pending: 40 unowned\n"
                                 "             available: 4,000 granted, 12 unowned (4,012 in all)\n"
                                 "             suspect: 5 granted\n"
                                 "             unhealthy: 6 unowned\n"
                                 "             expired: 3 revoking\n"
                                 "             asleep: 1 unowned\n"));
  EXPECT_LE(std::count(run.out.begin(), run.out.end(), '\n'), 24) << "one screen";
}

TEST(StatusCommand, ChecksThatWaitForNobodySaySo) {
  FakeDaemon daemon;
  auto status = SampleStatus();
  status.clear_unchecked_age();
  daemon.audit.SetStatus(status);

  const CliRun text = RunAt(daemon.address(), {"status"});
  const CliRun json = RunAt(daemon.address(), {"status", "--json"});

  EXPECT_THAT(text.out, HasSubstr("checks       1,200 under way; waiting for a checker: none\n"));
  EXPECT_EQ(json.Json()["checks_outstanding"], 1200);
  EXPECT_TRUE(json.Json()["unchecked_age_ms"].empty());
}

TEST(StatusCommand, AMonitorNeedsNoParser) {
  FakeDaemon daemon;
  auto status = SampleStatus();
  status.clear_hold_off_until();
  status.set_alarms(0);
  daemon.audit.SetStatus(status);
  const CliRun well = RunAt(daemon.address(), {"status", "--check"});
  status.set_serving(false);
  status.set_not_serving_because("recovering");
  daemon.audit.SetStatus(status);

  const CliRun ill = RunAt(daemon.address(), {"status", "--check"});

  EXPECT_EQ(well.code, ExitCode::kDone);
  EXPECT_EQ(ill.code, ExitCode::kFoundWanting);
  EXPECT_THAT(ill.out, HasSubstr("NOT SERVING: recovering"));
}

TEST(SessionsCommand, AllPagesAreReadAndFiltersGoAlong) {
  FakeDaemon daemon;
  for (const char* member : {"worker-1", "worker-2", "worker-3"}) daemon.fleet.Put(SampleSession(member));

  const CliRun run = RunAt(daemon.address(), {"sessions", "--kind", "worker", "--closed", "--member", "worker-1"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_THAT(run.out, HasSubstr("worker-3"));
  EXPECT_THAT(run.out, HasSubstr("3 session(s), as of sequence 4711"));
  ASSERT_EQ(daemon.fleet.requests().size(), 2u);
  EXPECT_EQ(daemon.fleet.requests()[1].kind(), controlplane::v1::SESSION_KIND_WORKER);
  EXPECT_TRUE(daemon.fleet.requests()[1].include_closed());
  EXPECT_EQ(daemon.fleet.requests()[1].member_ids(0), "worker-1");
}

TEST(SessionsCommand, ADrainIsShownWithItsTimesAndACordonInAColumnOfItsOwn) {
  FakeDaemon daemon;
  daemon.fleet.Put(SampleSession("worker-1"));
  daemon.fleet.Put(SampleDraining("worker-2"));
  auto endless = SampleDraining("worker-3");
  endless.clear_drain_deadline_at();
  daemon.fleet.Put(endless);

  const CliRun run = RunAt(daemon.address(), {"sessions"});

  std::istringstream lines(run.out);
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(line.substr(0, line.find("  0011")));
  EXPECT_THAT(
      rows, ElementsAre(
                "KIND    MEMBER    STATE     ELIGIBLE  STREAM  PROXIES  IN FLIGHT  SYNC     LAST HEARD  DRAIN          "
                "              SESSION",
                "worker  worker-1  active    yes       open        500          7  pending  1s ago      -              "
                "            ",
                "worker  worker-2  draining  cordoned  open        500          7  pending  1s ago      started 1m ago,"
                " ends in 1m ",
                "worker  worker-3  draining  cordoned  open        500          7  pending  1s ago      started 1m ago,"
                " no deadline",
                "", "3 session(s), as of sequence 4711"));
}

TEST(SessionsCommand, WhatOnlyWorkersHaveIsEmptyForAChecker) {
  FakeDaemon daemon;
  daemon.fleet.Put(SampleSession("worker-1"));
  daemon.fleet.Put(SampleChecker("checker-1"));

  const CliRun run = RunAt(daemon.address(), {"sessions"});
  const CliRun wide = RunAt(daemon.address(), {"sessions", "--wide", "--kind", "checker"});

  EXPECT_THAT(run.out, HasSubstr("worker   worker-1   active  yes       open        500          7  pending  1s ago"));
  EXPECT_THAT(run.out, HasSubstr("checker  checker-1  active  yes       open          -         12  -        2s ago"));
  EXPECT_THAT(wide.out, HasSubstr("00112233445566778899aabbccddeeff  -                 -              3  eu"));
  EXPECT_EQ(daemon.fleet.requests().back().kind(), controlplane::v1::SESSION_KIND_CHECKER);
}

TEST(SessionsCommand, WideShowsEverything) {
  FakeDaemon daemon;
  daemon.fleet.Put(SampleDraining("worker-1"));

  const CliRun run = RunAt(daemon.address(), {"sessions", "--wide"});

  EXPECT_THAT(run.out, HasSubstr("41 of 42"));
  EXPECT_THAT(run.out, HasSubstr("2026-08-31 23:59:00Z (1m ago)  2026-09-01 00:01:00Z (in 1m)  operator"));
  EXPECT_THAT(run.out, HasSubstr("instance-1"));
}

TEST(ProxiesCommand, ListsAreShownAndFiltersGoAlong) {
  FakeDaemon daemon;
  for (const char* host : {"198.18.0.1", "198.18.0.2", "198.18.0.3"}) daemon.pool.Put(SampleProxy(host));

  const CliRun run =
      RunAt(daemon.address(), {"proxies", "http://a:1", "--state", "available", "--state", "pending", "--ownership",
                               "granted", "--owner", "w", "--label", "k=v", "--source", "shop", "--limit", "7"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_THAT(run.out, HasSubstr("http://cred-1@198.18.0.3:8080"));
  EXPECT_THAT(run.out, HasSubstr("3 proxies, as of sequence"));
  EXPECT_THAT(run.out, HasSubstr("2026-09-01 00:00:40Z (in 40s)"));
  const auto request = daemon.pool.list_request();
  EXPECT_THAT(request.states(), ElementsAre(admin::v1::POOL_STATE_AVAILABLE, admin::v1::POOL_STATE_PENDING));
  EXPECT_THAT(request.ownership_states(), ElementsAre(admin::v1::OWNERSHIP_STATE_GRANTED));
  EXPECT_EQ(request.owner_worker_id(), "w");
  EXPECT_EQ(request.labels().at("k"), "v");
  EXPECT_EQ(request.source(), "shop");
  EXPECT_EQ(request.limit(), 7u);
  EXPECT_THAT(request.proxy_ids(), ElementsAre("http://a:1"));
}

TEST(ProxiesCommand, EveryStateOfThePoolIsAFilter) {
  FakeDaemon daemon;
  auto suspect = SampleProxy("198.18.0.1");
  suspect.set_pool_state(admin::v1::POOL_STATE_SUSPECT);
  daemon.pool.Put(suspect);
  std::vector<std::string> arguments = {"proxies"};
  for (const char* word : {"pending", "available", "suspect", "unhealthy", "extracted", "expired"}) {
    arguments.insert(arguments.end(), {"--state", word});
  }

  const CliRun run = RunAt(daemon.address(), arguments);

  EXPECT_EQ(run.code, ExitCode::kDone) << run.error;
  EXPECT_THAT(
      daemon.pool.list_request().states(),
      ElementsAre(admin::v1::POOL_STATE_PENDING, admin::v1::POOL_STATE_AVAILABLE, admin::v1::POOL_STATE_SUSPECT,
                  admin::v1::POOL_STATE_UNHEALTHY, admin::v1::POOL_STATE_EXTRACTED, admin::v1::POOL_STATE_EXPIRED));
  EXPECT_THAT(run.out, HasSubstr("http://cred-1@198.18.0.1:8080  suspect  granted    worker-1"));
}

TEST(ProxiesCommand, ATextFromAListCannotWriteToTheTerminal) {
  FakeDaemon daemon;
  auto proxy = SampleProxy("198.18.0.1");
  (*proxy.mutable_spec()->mutable_labels())["country"] = "\x1b[2J\nfake";
  daemon.pool.Put(proxy);

  const CliRun run = RunAt(daemon.address(), {"proxies"}, {.terminal = true});

  EXPECT_EQ(run.out.find('\x1b'), std::string::npos);
  EXPECT_THAT(run.out, HasSubstr("country=\\x1b[2J\\x0afake"));
}

TEST(ProxiesCommand, AListThatBreaksOffIsAFailureAndSaysSo) {
  FakeDaemon daemon;
  daemon.pool.Put(SampleProxy("198.18.0.1"));
  daemon.pool.RefuseLists(Refusal(grpc::StatusCode::ABORTED, controlplane::v1::REJECT_REASON_SLOW_READER, "too slow"));

  const CliRun run = RunAt(daemon.address(), {"proxies", "--json"});

  EXPECT_EQ(run.code, ExitCode::kRefused);
  EXPECT_TRUE(run.Json().is_discarded()) << "half a list must not parse as a whole one";
  EXPECT_THAT(run.error, HasSubstr("SLOW_READER"));
}

TEST(ProxiesCommand, RemovalTellsWhatIsGoneWhatDrainsAndWhatIsUnknown) {
  FakeDaemon daemon;
  daemon.pool.Put(SampleProxy("198.18.0.1"));
  auto unowned = SampleProxy("198.18.0.2");
  unowned.set_ownership_state(admin::v1::OWNERSHIP_STATE_UNOWNED);
  daemon.pool.Put(unowned);

  const CliRun run =
      RunAt(daemon.address(), {"proxies", "remove", "-", "http://gone:1", "--reason", "contract ended", "--json"},
            {.in = "http://cred-1@198.18.0.1:8080\r\n\nhttp://cred-1@198.18.0.2:8080\n"});

  EXPECT_EQ(run.code, ExitCode::kFoundWanting);
  EXPECT_EQ(run.Json()["removed"], 1);
  EXPECT_EQ(run.Json()["draining"], 1);
  EXPECT_THAT(run.Json()["unknown_proxy_ids"], ElementsAre("http://gone:1"));
  ASSERT_EQ(daemon.pool.removals().size(), 1u);
  EXPECT_EQ(daemon.pool.removals()[0].reason(), "contract ended");
}

TEST(ProxiesCommand, MoreIdsThanACallMayHoldGoInSeveralCalls) {
  FakeDaemon daemon;
  std::string ids;
  for (int i = 0; i < 10'001; ++i) ids += "http://198.18.0.1:" + std::to_string(i) + "\n";

  const CliRun run = RunAt(daemon.address(), {"proxies", "remove", "-", "--json"}, {.in = ids});

  EXPECT_EQ(run.Json()["unknown_proxy_ids"].size(), 10'001u);
  EXPECT_EQ(daemon.pool.removals().size(), 2u);
}

TEST(RoutingsCommand, WhatIsListedCanBeAppliedAgainUnlessSomebodyElseWasThere) {
  FakeDaemon daemon;
  daemon.pool.SetRoutings(SampleRoutings());
  const CliRun listed = RunAt(daemon.address(), {"routings", "list", "--json"});
  const std::string file = WriteTestFile("routings.json", listed.out);

  const CliRun applied = RunAt(daemon.address(), {"routings", "apply", file, "--json"});
  const CliRun again = RunAt(daemon.address(), {"routings", "apply", file});

  EXPECT_EQ(applied.code, ExitCode::kDone);
  EXPECT_EQ(applied.Json()["revision"], 4);
  EXPECT_EQ(daemon.pool.applied().routings(0).SerializeAsString(), SampleRoutings().routings(0).SerializeAsString());
  EXPECT_EQ(again.code, ExitCode::kRefused);
  EXPECT_THAT(again.error, HasSubstr("FAILED_CONDITION: revision 4 stands"));
}

TEST(RoutingsCommand, AListForPeopleShowsTheMatchOrder) {
  FakeDaemon daemon;
  daemon.pool.SetRoutings(SampleRoutings());

  const CliRun run = RunAt(daemon.address(), {"routings", "list"});

  EXPECT_THAT(run.out, HasSubstr("shops"));
  EXPECT_THAT(run.out, HasSubstr("*.example.com"));
  EXPECT_THAT(run.out, HasSubstr("country=DE"));
  EXPECT_THAT(run.out, HasSubstr("1 routing(s), revision 3"));
}

TEST(RoutingsCommand, AnExpectedRevisionGoesAlong) {
  FakeDaemon daemon;
  daemon.pool.SetRoutings(SampleRoutings());

  const CliRun right = RunAt(daemon.address(), {"routings", "apply", "-", "--expected-revision", "3"}, {.in = "[]"});
  const CliRun wrong = RunAt(daemon.address(), {"routings", "apply", "-", "--expected-revision", "3"}, {.in = "[]"});

  EXPECT_EQ(right.code, ExitCode::kDone);
  EXPECT_EQ(wrong.code, ExitCode::kRefused);
}

TEST(RoutingsFile, FaultsNameTheirPlaceAndNothingIsGuessed) {
  std::string error;

  EXPECT_TRUE(ParseRoutings(R"([{"routing": {"routing_id": "a", "hostPatterns": ["*"]}}])", error));
  EXPECT_FALSE(ParseRoutings(R"([{"routing": {"routing_id": "a", "host_pattern": ["*"]}}])", error));
  EXPECT_THAT(error, HasSubstr("host_pattern"));
  EXPECT_FALSE(ParseRoutings("{\"routings\": [\n  oops]}", error));
  EXPECT_THAT(error, HasSubstr("line 2"));
  EXPECT_FALSE(ParseRoutings("{}", error));
  EXPECT_FALSE(ParseRoutings("17", error));
  EXPECT_FALSE(ParseRoutings("{\"cred-1\": {\"password\": \"hunter2\" oops", error));
  EXPECT_THAT(error, Not(HasSubstr("hunter2"))) << "the wrong file may hold secrets";
}

TEST(LogCommand, LinesAreReadableAndJsonIsWhole) {
  FakeDaemon daemon;
  daemon.audit.Append(SampleLine(7));

  const CliRun text = RunAt(daemon.address(), {"log", "--kind", "register_worker", "--proxy", "p", "--member", "m",
                                               "--session", "s", "--from", "5"});
  const CliRun json = RunAt(daemon.address(), {"log", "--json"});

  EXPECT_EQ(
      text.out,
      "        7  2026-09-01 00:00:07.000Z  loopback    register_worker       worker_id=worker-1 -> session_opened, "
      "proxy_granted x2\n");
  EXPECT_EQ(json.Json()["entry"]["events"][0]["session_opened"]["epoch"], "9007199254740991");
  const auto request = daemon.audit.log_requests()[0];
  EXPECT_EQ(request.from_sequence(), 5u);
  EXPECT_THAT(request.kinds(), ElementsAre("register_worker"));
  EXPECT_EQ(request.proxy_id() + request.member_id() + request.session_id(), "pms");
  EXPECT_FALSE(request.follow());
}

TEST(LogCommand, AReaderThatWasCutOffGoesOnWithoutAGapOrARepeat) {
  FakeDaemon daemon;
  for (std::uint64_t sequence = 1; sequence <= 5; ++sequence) daemon.audit.Append(SampleLine(sequence));
  daemon.audit.CutNextStream(
      2, Refusal(grpc::StatusCode::ABORTED, controlplane::v1::REJECT_REASON_SLOW_READER, "too slow"));

  const CliRun run = RunAt(daemon.address(), {"log", "--json"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  std::vector<int> sequences;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) sequences.push_back(nlohmann::json::parse(line)["sequence"]);
  EXPECT_THAT(sequences, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(run.waits.size(), 1u);
}

TEST(LogCommand, FollowOutlivesARestartAndEndsWithZeroAtCtrlC) {
  FakeDaemon daemon;
  Interrupt interrupt;
  for (std::uint64_t sequence = 1; sequence <= 3; ++sequence) daemon.audit.Append(SampleLine(sequence));
  daemon.audit.CutNextStream(2, {grpc::StatusCode::UNAVAILABLE, "gone"});
  daemon.audit.OnCaughtUp([&] { interrupt.Request(); });

  const CliRun run = RunAt(daemon.address(), {"log", "--follow"}, {.interrupt = &interrupt});

  EXPECT_EQ(run.code, ExitCode::kDone);
  ASSERT_EQ(daemon.audit.log_requests().size(), 2u);
  EXPECT_EQ(daemon.audit.log_requests()[1].from_sequence(), 3u);
  EXPECT_THAT(run.error, HasSubstr("going on at sequence 3"));
}

TEST(LogCommand, ASequenceThatIsNoLongerKeptIsRefused) {
  FakeDaemon daemon;
  daemon.audit.CutNextStream(0, Refusal(grpc::StatusCode::OUT_OF_RANGE, controlplane::v1::REJECT_REASON_NO_LONGER_KEPT,
                                        "the first kept is 900"));

  const CliRun run = RunAt(daemon.address(), {"log", "--from", "5"});

  EXPECT_EQ(run.code, ExitCode::kRefused);
  EXPECT_THAT(run.error, HasSubstr("the first kept is 900"));
}

TEST(AuditCommand, OwnershipShowsPeriodsWithTheirEntries) {
  FakeDaemon daemon;
  daemon.audit.PutPeriod(SamplePeriod());

  const CliRun run = RunAt(daemon.address(), {"audit", "ownership", "--proxy", "http://198.18.0.1:8080", "--worker",
                                              "worker-1", "--from", "-15m", "--to", "now"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_THAT(run.out, HasSubstr("2026-08-31 23:50:00Z #100"));
  EXPECT_THAT(run.out, HasSubstr("#200 removal by loopback"));
  EXPECT_THAT(run.out, HasSubstr("#203 drained"));
  EXPECT_THAT(run.out, HasSubstr("v43: #201, #202, #203"));
  const auto request = daemon.audit.history_request();
  EXPECT_EQ(request.holder_id(), "worker-1");
  EXPECT_EQ(request.to().seconds() - request.from().seconds(), 900);
}

TEST(AuditCommand, AQuestionWithoutASubjectOrWithAWrongTimeIsAMistake) {
  EXPECT_THAT(RunCommand({"audit", "ownership"}).error, HasSubstr("of what?"));
  EXPECT_THAT(RunCommand({"audit", "ownership", "--proxy", "p", "--from", "noon"}).error, HasSubstr("not a time"));
  EXPECT_THAT(RunCommand({"audit", "ownership", "--proxy", "p", "--from", "now", "--to", "-1h"}).error,
              HasSubstr("not before"));
  EXPECT_EQ(RunCommand({"audit", "ownership"}).code, ExitCode::kCouldNotRun);
}

}  // namespace
}  // namespace holdfast::cli
