// The programs themselves, as processes: holdfast-checker is given tasks over gRPC, checks a real proxy, asks
// holdfast-judge, reports, and drains on a signal.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/checker/engine_fixture.h"
#include "tests/checker/real_proxies.h"
#include "tests/checker/scripted_peer.h"
#include "tests/client/fake_checker_control_plane.h"
#include "tools/checker/checker_options.h"
#include "tools/checker/event_lines.h"

namespace holdfast::checker {
namespace {

using nlohmann::json;
using test::FakeCheckerControlPlane;
using ::testing::Contains;
using ::testing::HasSubstr;

std::vector<json> EventsOf(const ChildProcess& process) {
  std::vector<json> events;
  std::istringstream output(process.Output());
  for (std::string line; std::getline(output, line);) events.push_back(json::parse(line, nullptr, false));
  return events;
}

class JudgeProcess {
 public:
  JudgeProcess()
      : port_file_(TestPath("judge-port-" + std::to_string(FreePort()))),
        process_({HOLDFAST_JUDGE_BINARY, "--port-file", port_file_, "--json"}) {
    EXPECT_TRUE(WaitUntil([this] { return !ReadFile(port_file_).empty(); })) << process_.Output();
  }

  std::string url() const { return "http://" + ReadFile(port_file_) + "/"; }
  ChildProcess& process() { return process_; }

 private:
  const std::string port_file_;
  ChildProcess process_;
};

class CheckerProcess : public ::testing::Test {
 protected:
  static std::vector<std::string> Words(const std::string& server, const std::string& judge_url) {
    return {HOLDFAST_CHECKER_BINARY,
            "--server",
            server,
            "--checker-id",
            "checker-1",
            "--judge",
            judge_url,
            "--allow-private",
            "--json",
            "--summary",
            "0"};
  }

  static void Push(FakeCheckerControlPlane& controller, const wire::CheckTask& task) {
    wire::TaskUpdate update;
    *update.mutable_task() = task;
    controller.Push(update);
  }
  static bool Answered(const FakeCheckerControlPlane& controller, const std::string& task_id) {
    for (const wire::HealthObservation& observation : controller.observations()) {
      if (observation.task_id() == task_id) return true;
    }
    return false;
  }

  // The client takes no task before its session is active; one of no level it answers itself as soon as it does.
  static bool TakesTasks(FakeCheckerControlPlane& controller) {
    wire::CheckTask task;
    task.set_task_id("are-you-there");
    return controller.WaitForStreams(1) && WaitUntil([&] {
             Push(controller, task);
             return Answered(controller, task.task_id());
           });
  }
  static std::vector<wire::HealthObservation> ObservationsOfChecks(const FakeCheckerControlPlane& controller) {
    std::vector<wire::HealthObservation> observations = controller.observations();
    std::erase_if(observations, [](const auto& observation) { return observation.task_id() == "are-you-there"; });
    return observations;
  }
};

TEST_F(CheckerProcess, ChecksWhatItIsGivenAndDrainsOnASignal) {
  FakeCheckerControlPlane controller;
  JudgeProcess judge;
  const RealProxy proxy = RealProxy::Tinyproxy({});
  ChildProcess checker(Words(controller.address(), judge.url()));
  ASSERT_TRUE(TakesTasks(controller)) << checker.Output();

  Push(controller, BasicTask(wire::PROXY_SCHEME_HTTP, proxy.port()));
  Push(controller, EgressTask(wire::PROXY_SCHEME_HTTP, proxy.port()));
  Push(controller, TargetTask(wire::PROXY_SCHEME_HTTP, proxy.port(), judge.url()));
  ASSERT_TRUE(WaitUntil([&] { return ObservationsOfChecks(controller).size() == 3; })) << checker.Output();
  checker.Signal(SIGTERM);

  EXPECT_EQ(checker.Wait(), 0) << checker.Output();
  for (const wire::HealthObservation& said : ObservationsOfChecks(controller)) {
    EXPECT_EQ(said.verdict(), wire::VERDICT_PASS) << said.ShortDebugString();
    if (said.level() == wire::CHECK_LEVEL_EGRESS) {
      EXPECT_EQ(said.egress_ip(), kProxyAddress);
      EXPECT_EQ(said.anonymity(), wire::ANONYMITY_ANONYMOUS);
    }
  }
  const std::vector<json> events = EventsOf(checker);
  ASSERT_EQ(events.size(), 3) << checker.Output();
  EXPECT_EQ(events[0]["event"], "registered");
  EXPECT_EQ(events[0]["checker_id"], "checker-1");
  EXPECT_EQ(events[1]["event"], "summary");
  EXPECT_EQ(events[1]["passed"], 3);
  EXPECT_EQ(events[2]["event"], "finished");
  EXPECT_EQ(events[2]["end"], "drained");
  judge.process().Signal(SIGTERM);
  EXPECT_EQ(judge.process().Wait(), 0);
}

TEST_F(CheckerProcess, WhatRunsWhenItDrainsIsStillReported) {
  FakeCheckerControlPlane controller;
  JudgeProcess judge;
  const ScriptedPeer hanging(ScriptedPeer::Manners::kHang);
  ChildProcess checker(Words(controller.address(), judge.url()));
  ASSERT_TRUE(TakesTasks(controller)) << checker.Output();
  wire::CheckTask task = BasicTask(wire::PROXY_SCHEME_HTTP, hanging.port());
  SetTimeout(task, std::chrono::seconds(4));
  Push(controller, task);
  ASSERT_TRUE(WaitUntil([&] { return hanging.accepted() > 0; }));

  checker.Signal(SIGINT);

  EXPECT_EQ(checker.Wait(), 0) << checker.Output();
  ASSERT_EQ(ObservationsOfChecks(controller).size(), 1);
  EXPECT_EQ(ObservationsOfChecks(controller)[0].verdict(), wire::VERDICT_FAIL);
}

TEST_F(CheckerProcess, ACancelledTaskIsGivenUp) {
  FakeCheckerControlPlane controller;
  JudgeProcess judge;
  const ScriptedPeer hanging(ScriptedPeer::Manners::kHang);
  ChildProcess checker(Words(controller.address(), judge.url()));
  ASSERT_TRUE(TakesTasks(controller)) << checker.Output();
  const wire::CheckTask task = BasicTask(wire::PROXY_SCHEME_HTTP, hanging.port());
  Push(controller, task);
  ASSERT_TRUE(WaitUntil([&] { return hanging.accepted() > 0; }));

  wire::TaskUpdate cancel;
  cancel.mutable_cancel()->set_task_id(task.task_id());
  controller.Push(cancel);
  Push(controller, BasicTask(wire::PROXY_SCHEME_HTTP, FreePort()));
  ASSERT_TRUE(WaitUntil([&] { return ObservationsOfChecks(controller).size() == 1; }));
  checker.Signal(SIGTERM);

  EXPECT_EQ(checker.Wait(), 0);
  EXPECT_EQ(ObservationsOfChecks(controller).size(), 1);
  EXPECT_NE(ObservationsOfChecks(controller)[0].task_id(), task.task_id());
  EXPECT_EQ(EventsOf(checker)[1]["cancelled"], 1);
}

TEST_F(CheckerProcess, WithoutAControllerItGoesOnTryingAndSaysSoAtItsEnd) {
  ChildProcess checker(Words("127.0.0.1:" + std::to_string(FreePort()), "http://127.0.0.1:1/"));
  ASSERT_TRUE(WaitUntil([&] { return checker.Output().find("register_failed") != std::string::npos; }));

  checker.Signal(SIGTERM);

  EXPECT_EQ(checker.Wait(), 3);
}

TEST_F(CheckerProcess, SecretsThatOthersMayReadEndItBeforeItBegins) {
  std::vector<std::string> words = Words("127.0.0.1:1", "http://127.0.0.1:1/");
  const std::string path = WriteFile("readable.json", R"({"cred-1": {"username": "alice", "password": "sesame"}})");
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  words.insert(words.end(), {"--secrets", path});

  ChildProcess checker(words);

  EXPECT_EQ(checker.Wait(), 2);
  EXPECT_THAT(checker.Output(), HasSubstr("chmod 600"));
  EXPECT_THAT(checker.Output(), ::testing::Not(HasSubstr("sesame")));
}

// ---- the command line and the lines, by themselves
// --------------------------------------------------------------------

Parsed Parse(std::vector<const char*> words) {
  words.insert(words.begin(), {"holdfast-checker", "--checker-id", "checker-1"});
  return ParseOptions(static_cast<int>(words.size()), words.data());
}

TEST(CheckerOptions, EverythingIsReadAndTheEchoIsTheJudgesWhereNoneIsNamed) {
  const auto options =
      Parse({"--server", "localhost:7443", "--zone", "z1", "--label", "rack=4", "--label", "tier=", "--max-concurrency",
             "300", "--judge", "https://judge.example/see", "--levels", "egress,basic,egress", "--summary", "5s"})
          .options;

  ASSERT_TRUE(options);
  EXPECT_EQ(options->server_target, "ipv4:127.0.0.1:7443");
  EXPECT_EQ(options->zone, "z1");
  EXPECT_EQ(options->labels, (std::map<std::string, std::string>{{"rack", "4"}, {"tier", ""}}));
  EXPECT_EQ(options->max_concurrency, 300);
  EXPECT_EQ(options->levels, (std::vector{wire::CHECK_LEVEL_EGRESS, wire::CHECK_LEVEL_BASIC}));
  EXPECT_EQ(options->checks.echo, (HostAndPort{"judge.example", 443}));
  EXPECT_EQ(options->summary_interval, std::chrono::seconds(5));
  EXPECT_FALSE(options->checks.allow_private);
  EXPECT_EQ(Parse({"--judge", "http://[::1]:81/", "--echo", "[::1]:7"}).options->checks.echo, (HostAndPort{"::1", 7}));
  EXPECT_EQ(Parse({"--judge", "http://[::1]:81/"}).options->checks.echo, (HostAndPort{"::1", 81}));
}

TEST(CheckerOptions, WhatCannotBeIsRefusedWithWhatToDo) {
  const auto complaint = [](const std::vector<const char*>& words) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(Parse(words).exit_code, ExitCode::kCouldNotRun);
    return ::testing::internal::GetCapturedStderr();
  };

  EXPECT_THAT(complaint({}), HasSubstr("--judge URL"));
  EXPECT_THAT(complaint({"--levels", "basic"}), HasSubstr("--echo HOST:PORT"));
  EXPECT_THAT(complaint({"--levels", "basics"}), HasSubstr("none of basic, egress and target"));
  EXPECT_THAT(complaint({"--judge", "ftp://judge.example/"}), HasSubstr("http://HOST:PORT/"));
  EXPECT_THAT(complaint({"--judge", "http://judge.example/#top"}), HasSubstr("http://HOST:PORT/"));
  EXPECT_THAT(complaint({"--judge", "http://j/", "--echo", "nowhere"}), HasSubstr("HOST:PORT"));
  EXPECT_THAT(complaint({"--judge", "http://j/", "--label", "rack"}), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(complaint({"--judge", "http://j/", "--checker-id", "a b"}), HasSubstr("--checker-id"));
  EXPECT_THAT(complaint({"--judge", "http://j/", "--server", "192.0.2.1:7443"}), HasSubstr("not a loopback address"));
  EXPECT_THAT(complaint({"--judge", "http://j/", "--ca", "/nonexistent"}), HasSubstr("PEM"));
  EXPECT_THAT(complaint({"--judge", "http://j/", "--drain", "soon"}), HasSubstr("20s"));
  EXPECT_THAT(complaint({"--judge", "http://j/", "--max-concurrency", "0"}), HasSubstr("--max-concurrency"));
}

TEST(CheckerOptions, TargetAloneNeedsNoJudge) { EXPECT_TRUE(Parse({"--levels", "target"}).options); }

class FixedClock : public WallClock {
 public:
  std::int64_t Micros() const override { return 1'788'220'800'000'000; }
};

TEST(EventLines, ASummaryNamesOnlyTheReasonsThatThereAre) {
  const FixedClock clock;
  CheckCounts counts;
  counts.passed = 5;
  counts.failed = 2;
  counts.inconclusive[static_cast<std::size_t>(Trouble::kDirectPath)] = 3;
  std::ostringstream for_programs, for_people;

  EventLines(for_programs, clock, true).Summary(counts);
  EventLines(for_people, clock, false).Summary(counts);

  const json line = json::parse(for_programs.str());
  EXPECT_EQ(line["inconclusive"], (json{{"direct_path", 3}}));
  EXPECT_EQ(line["at"], "2026-09-01T00:00:00.000000Z");
  EXPECT_EQ(for_people.str(),
            "2026-09-01T00:00:00.000000Z checked: 5 passed, 2 failed, 3 inconclusive (direct_path); 0 cancelled, 0 "
            "running\n");
}

}  // namespace
}  // namespace holdfast::checker
