// The engine as a whole: many at once, hanging ones beside good ones, cancelling, refused addresses, and its own
// trouble.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>

#include "tests/checker/engine_fixture.h"
#include "tests/checker/real_proxies.h"
#include "tests/checker/scripted_peer.h"
#include "tests/echo/running_judge.h"

namespace holdfast::checker {
namespace {

using echo::RunningJudge;
using Manners = ScriptedPeer::Manners;

std::uint64_t Inconclusive(RunningEngine& engine, Trouble trouble) {
  return engine.engine().counts().inconclusive[static_cast<std::size_t>(trouble)];
}

// How many threads this process has.
std::size_t Threads() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:")) return std::stoul(line.substr(8));
  }
  return 0;
}

TEST(CheckEngine, ThreeHundredChecksAtOnceAreEachSortedRightlyOnOneThread) {
  const RunningJudge judge;
  const RealProxy http = RealProxy::Tinyproxy({});
  const RealProxy elite = RealProxy::Tinyproxy({"DisableViaHeader Yes"});
  const RealProxy socks = RealProxy::Microsocks({});
  const ScriptedPeer garbage(Manners::kSay, "no proxy\r\n\r\n");
  const std::uint16_t nobody = FreePort();
  RunningEngine engine(LoopbackSettings(judge.port()));
  const std::size_t threads_before = Threads();
  std::map<std::string, std::string> expected;
  const auto submit = [&](wire::CheckTask task, const std::string& words) {
    // Of a machine that is busy with other things, too.
    SetTimeout(task, std::chrono::seconds(50));
    expected[task.task_id()] = words;
    engine.Submit(task);
  };

  for (int i = 0; i < 50; ++i) {
    submit(BasicTask(wire::PROXY_SCHEME_HTTP, http.port()), "PASS TUNNEL NONE");
    submit(BasicTask(wire::PROXY_SCHEME_SOCKS5, socks.port()), "PASS TUNNEL NONE");
    submit(EgressTask(wire::PROXY_SCHEME_HTTP, elite.port()), "PASS RESPONSE_HEADERS NONE");
    submit(TargetTask(wire::PROXY_SCHEME_SOCKS5H, socks.port(), judge.url()), "PASS TUNNEL NONE");
    submit(BasicTask(wire::PROXY_SCHEME_HTTP, garbage.port()), "FAIL PROXY_HANDSHAKE PROTOCOL");
    submit(BasicTask(wire::PROXY_SCHEME_SOCKS4, nobody), "FAIL DIAL REFUSED");
  }
  ASSERT_TRUE(engine.WaitFor(expected.size()));

  EXPECT_EQ(Threads(), threads_before) << "addresses need no look-up, so nothing but the engine's thread is at work";
  for (const wire::HealthObservation& said : engine.said()) EXPECT_EQ(Words(said), expected[said.task_id()]);
  const CheckCounts counts = engine.engine().counts();
  EXPECT_EQ(counts.passed, 200);
  EXPECT_EQ(counts.failed, 100);
  EXPECT_EQ(counts.running, 0);
}

TEST(CheckEngine, TwoHundredAndFiftyHangingProxiesHoldNobodyUp) {
  const RunningJudge judge;
  const RealProxy http = RealProxy::Tinyproxy({});
  const ScriptedPeer hanging(Manners::kHang);
  RunningEngine engine(LoopbackSettings(judge.port()));
  constexpr std::size_t kHanging = 250;
  constexpr std::size_t kWell = 50;

  for (std::size_t i = 0; i < kHanging; ++i) {
    wire::CheckTask task = BasicTask(i % 2 == 0 ? wire::PROXY_SCHEME_HTTP : wire::PROXY_SCHEME_SOCKS5, hanging.port());
    SetTimeout(task, std::chrono::seconds(10));
    engine.Submit(task);
  }
  ASSERT_TRUE(WaitUntil([&] { return hanging.accepted() == kHanging; }));
  for (std::size_t i = 0; i < kWell; ++i) engine.Submit(BasicTask(wire::PROXY_SCHEME_HTTP, http.port()));
  ASSERT_TRUE(engine.WaitFor(kHanging + kWell));

  const std::vector<wire::HealthObservation> said = engine.said();
  for (std::size_t i = 0; i < said.size(); ++i) {
    EXPECT_EQ(Words(said[i]), i < kWell ? "PASS TUNNEL NONE" : "FAIL PROXY_HANDSHAKE TIMEOUT") << i;
  }
}

TEST(CheckEngine, WhatHasFailedTogetherSharesOneLookAtTheDirectPath) {
  const ScriptedPeer echo(Manners::kHang);
  RunningEngine engine(LoopbackSettings(echo.port()));
  const std::uint16_t nobody = FreePort();

  for (int i = 0; i < 100; ++i) engine.Submit(BasicTask(wire::PROXY_SCHEME_HTTP, nobody));
  ASSERT_TRUE(engine.WaitFor(100));

  for (const wire::HealthObservation& said : engine.said()) EXPECT_EQ(Words(said), "FAIL DIAL REFUSED");
  EXPECT_LE(echo.accepted(), 5) << "a hundred failures, a handful of probes";
}

TEST(CheckEngine, ACancelledCheckIsNotAnsweredAndLetsItsConnectionGo) {
  const RunningJudge judge;
  const RealProxy http = RealProxy::Tinyproxy({});
  const ScriptedPeer hanging(Manners::kHang);
  RunningEngine engine(LoopbackSettings(judge.port()));
  wire::CheckTask task = BasicTask(wire::PROXY_SCHEME_HTTP, hanging.port());
  SetTimeout(task, std::chrono::minutes(5));
  engine.Submit(task);
  ASSERT_TRUE(WaitUntil([&] { return hanging.accepted() == 1; }));

  engine.engine().Cancel(task.task_id());
  engine.engine().Cancel("never-heard-of");
  EXPECT_TRUE(WaitUntil([&] { return hanging.left() == 1; }));
  ASSERT_EQ(engine.Check(BasicTask(wire::PROXY_SCHEME_HTTP, http.port())).verdict(), wire::VERDICT_PASS);

  EXPECT_EQ(engine.said().size(), 1);
  EXPECT_EQ(engine.engine().counts().cancelled, 1);
  EXPECT_EQ(engine.engine().counts().running, 0);
}

TEST(CheckEngine, ATaskThatIsUnderWayIsNotBegunAgain) {
  const RunningJudge judge;
  const ScriptedPeer hanging(Manners::kHang);
  RunningEngine engine(LoopbackSettings(judge.port()));
  wire::CheckTask task = BasicTask(wire::PROXY_SCHEME_HTTP, hanging.port());
  SetTimeout(task, std::chrono::seconds(2));

  engine.Submit(task);
  engine.Submit(task);
  engine.Check(task);
  ASSERT_EQ(engine.Check(BasicTask(wire::PROXY_SCHEME_HTTP, FreePort())).verdict(), wire::VERDICT_FAIL);

  EXPECT_EQ(engine.said().size(), 2);
  EXPECT_EQ(hanging.accepted(), 1);
}

TEST(CheckEngine, AddressesThatNobodyMayDialAreNotDialled) {
  const RunningJudge judge;
  const ScriptedPeer peer(Manners::kHang);
  CheckSettings settings = LoopbackSettings(judge.port());
  settings.allow_private = false;
  RunningEngine engine(settings);
  const auto verdict_for = [&](const std::string& host) {
    wire::CheckTask task = BasicTask(wire::PROXY_SCHEME_HTTP, peer.port());
    task.mutable_endpoint()->set_host(host);
    return engine.Check(task).verdict();
  };

  for (const char* host : {"127.0.0.1", "localhost", "::1", "10.0.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254",
                           "224.0.0.1", "0.0.0.0", "::ffff:127.0.0.1", "fe80::1", "64:ff9b::7f00:1"}) {
    EXPECT_EQ(verdict_for(host), wire::VERDICT_INCONCLUSIVE) << host;
  }

  EXPECT_EQ(Inconclusive(engine, Trouble::kRefusedAddress), 12);
  EXPECT_EQ(peer.accepted(), 0);
}

TEST(CheckEngine, ANameIsLookedAtAgainWhenItsAddressIsKnown) {
  // The machine's own name leads to an address of its own, which is none that a stranger's list may lead to.
  char name[256] = {};
  ASSERT_EQ(gethostname(name, sizeof name - 1), 0);
  const RunningJudge judge;
  const ScriptedPeer peer(Manners::kHang);
  CheckSettings settings = LoopbackSettings(judge.port());
  wire::CheckTask task = BasicTask(wire::PROXY_SCHEME_HTTP, peer.port());
  task.mutable_endpoint()->set_host(name);
  SetTimeout(task, std::chrono::seconds(3));
  RunningEngine allowing(settings);
  const wire::HealthObservation reached = allowing.Check(task);
  if (reached.phase() != wire::OUTCOME_PHASE_PROXY_HANDSHAKE) {
    GTEST_SKIP() << "the name " << name << " does not lead to 127.0.0.1 here, so there is nothing to refuse";
  }
  settings.allow_private = false;
  RunningEngine refusing(settings);

  EXPECT_EQ(refusing.Check(task).verdict(), wire::VERDICT_INCONCLUSIVE);

  EXPECT_EQ(Inconclusive(refusing, Trouble::kRefusedAddress), 1);
  EXPECT_EQ(peer.accepted(), 1);
}

TEST(CheckEngine, AProxysNameThatDoesNotExistFailsByDns) {
  const RunningJudge judge;
  RunningEngine engine(LoopbackSettings(judge.port()));
  wire::CheckTask task = BasicTask(wire::PROXY_SCHEME_HTTP, 3128);
  task.mutable_endpoint()->set_host("no-such-proxy.invalid");

  EXPECT_EQ(Words(engine.Check(task)), "FAIL DIAL DNS");
}

TEST(CheckEngine, ATaskWithoutSenseIsAnsweredAtOnce) {
  const RunningJudge judge;
  RunningEngine engine(LoopbackSettings(judge.port()));
  const auto verdict_with = [&](const std::function<void(wire::CheckTask&)>& change) {
    wire::CheckTask task = BasicTask(wire::PROXY_SCHEME_HTTP, 1);
    change(task);
    return engine.Check(task).verdict();
  };

  for (const auto& change : std::vector<std::function<void(wire::CheckTask&)>>{
           [](wire::CheckTask& task) { task.clear_endpoint(); },
           [](wire::CheckTask& task) { task.mutable_endpoint()->set_port(70'000); },
           [](wire::CheckTask& task) { task.mutable_endpoint()->set_host("evil.example/@127.0.0.1"); },
           [](wire::CheckTask& task) { task.clear_timeout(); },
           [](wire::CheckTask& task) { task.mutable_timeout()->set_seconds(-1); }}) {
    EXPECT_EQ(verdict_with(change), wire::VERDICT_INCONCLUSIVE);
  }
  EXPECT_EQ(Inconclusive(engine, Trouble::kMalformedTask), 5);
  EXPECT_EQ(verdict_with([](wire::CheckTask& task) { task.set_level(wire::CHECK_LEVEL_UNSPECIFIED); }),
            wire::VERDICT_INCONCLUSIVE);
  EXPECT_EQ(Inconclusive(engine, Trouble::kUnknownLevel), 1);
}

TEST(CheckEngine, WithoutADescriptorLeftThereIsNoVerdict) {
  const RunningJudge judge;
  RunningEngine engine(LoopbackSettings(judge.port()));
  ASSERT_EQ(engine.Check(BasicTask(wire::PROXY_SCHEME_HTTP, FreePort())).verdict(), wire::VERDICT_FAIL);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{3, before.rlim_max};

  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const wire::HealthObservation said = engine.Check(BasicTask(wire::PROXY_SCHEME_HTTP, 1));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);

  EXPECT_EQ(said.verdict(), wire::VERDICT_INCONCLUSIVE);
  EXPECT_EQ(Inconclusive(engine, Trouble::kResources), 1);
}

TEST(CheckEngine, StoppedWhileChecksRunItSaysNothingMore) {
  const RunningJudge judge;
  const ScriptedPeer hanging(Manners::kHang);
  RunningEngine engine(LoopbackSettings(judge.port()));
  for (int i = 0; i < 20; ++i) engine.Submit(BasicTask(wire::PROXY_SCHEME_HTTP, hanging.port()));
  ASSERT_TRUE(WaitUntil([&] { return hanging.accepted() == 20; }));

  engine.engine().Stop();
  engine.Submit(BasicTask(wire::PROXY_SCHEME_HTTP, hanging.port()));

  EXPECT_TRUE(engine.said().empty());
}

}  // namespace
}  // namespace holdfast::checker
