// BASIC over loopback: real proxies that are well, and peers that are no proxy in every way that a list offers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checker/engine_fixture.h"
#include "tests/checker/real_proxies.h"
#include "tests/checker/scripted_peer.h"
#include "tests/echo/running_judge.h"

namespace holdfast::checker {
namespace {

using echo::RunningJudge;
using Manners = ScriptedPeer::Manners;

class BasicCheck : public ::testing::Test {
 protected:
  std::string WordsFor(const wire::CheckTask& task) { return Words(engine_.Check(task)); }
  std::string WordsFor(wire::ProxyScheme scheme, std::uint16_t port) { return WordsFor(BasicTask(scheme, port)); }

  RunningJudge judge_;
  RunningEngine engine_{LoopbackSettings(judge_.port())};
};

TEST_F(BasicCheck, AnHttpProxyThatIsWellPasses) {
  const RealProxy proxy = RealProxy::Tinyproxy({});

  const wire::HealthObservation said = engine_.Check(BasicTask(wire::PROXY_SCHEME_HTTP, proxy.port()));

  EXPECT_EQ(Words(said), "PASS TUNNEL NONE");
  EXPECT_GT(said.latency().nanos(), 0);
  EXPECT_EQ(said.latency().nanos() % 1000, 0);
  EXPECT_GT(said.observed_at().seconds(), 1'700'000'000);
  EXPECT_EQ(said.egress_ip(), "");
}

TEST_F(BasicCheck, ASocks5ProxyThatIsWellPassesUnderBothSchemes) {
  const RealProxy proxy = RealProxy::Microsocks({});

  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS5, proxy.port()), "PASS TUNNEL NONE");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS5H, proxy.port()), "PASS TUNNEL NONE");
}

TEST_F(BasicCheck, ASocks4ProxyThatIsWellPassesUnderBothSchemes) {
  const Socks4Relay proxy;

  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS4, proxy.port()), "PASS TUNNEL NONE");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS4A, proxy.port()), "PASS TUNNEL NONE");
}

TEST_F(BasicCheck, AnHttpsProxyPassesWhereItsCertificateIsTrusted) {
  const RealProxy proxy = RealProxy::Tinyproxy({});
  const TlsFront front(proxy.port());
  CheckSettings settings = LoopbackSettings(judge_.port());
  settings.ca_file = TlsFront::CertificateFile();
  RunningEngine trusting(settings);

  EXPECT_EQ(Words(trusting.Check(BasicTask(wire::PROXY_SCHEME_HTTPS, front.port()))), "PASS TUNNEL NONE");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_HTTPS, front.port()), "FAIL PROXY_HANDSHAKE TLS");
}

TEST_F(BasicCheck, NobodyAtThePortFailsAtTheDial) {
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_HTTP, FreePort()), "FAIL DIAL REFUSED");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS5, FreePort()), "FAIL DIAL REFUSED");
}

TEST_F(BasicCheck, APeerThatAcceptsAndNeverAnswersFailsAtTheHandshakeByTime) {
  const ScriptedPeer peer(Manners::kHang);

  for (const wire::ProxyScheme scheme : {wire::PROXY_SCHEME_HTTP, wire::PROXY_SCHEME_HTTPS, wire::PROXY_SCHEME_SOCKS4,
                                         wire::PROXY_SCHEME_SOCKS4A, wire::PROXY_SCHEME_SOCKS5H}) {
    wire::CheckTask task = BasicTask(scheme, peer.port());
    SetTimeout(task, std::chrono::seconds(3));
    engine_.Submit(task);
  }
  ASSERT_TRUE(engine_.WaitFor(5));

  for (const wire::HealthObservation& said : engine_.said()) EXPECT_EQ(Words(said), "FAIL PROXY_HANDSHAKE TIMEOUT");
}

TEST_F(BasicCheck, APeerThatClosesAtOnceFailsAtTheHandshake) {
  const ScriptedPeer peer(Manners::kClose);

  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_HTTP, peer.port()), "FAIL PROXY_HANDSHAKE RESET");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS5, peer.port()), "FAIL PROXY_HANDSHAKE RESET");
}

TEST_F(BasicCheck, GarbageIsNoHandshake) {
  const ScriptedPeer peer(Manners::kSay, "SSH-2.0-OpenSSH_9.2\r\nnothing of HTTP here\r\n\r\n");

  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_HTTP, peer.port()), "FAIL PROXY_HANDSHAKE PROTOCOL");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS4, peer.port()), "FAIL PROXY_HANDSHAKE PROTOCOL");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS5, peer.port()), "FAIL PROXY_HANDSHAKE PROTOCOL");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_HTTPS, peer.port()), "FAIL PROXY_HANDSHAKE TLS");
}

TEST_F(BasicCheck, AProxyThatRefusesTheTunnelFailsWithItsStatus) {
  const ScriptedPeer peer(Manners::kSay, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");

  const wire::HealthObservation said = engine_.Check(BasicTask(wire::PROXY_SCHEME_HTTP, peer.port()));

  EXPECT_EQ(Words(said), "FAIL PROXY_HANDSHAKE REFUSED");
  EXPECT_EQ(said.http_status(), 403);
}

TEST_F(BasicCheck, ANumberThatIsNoStatusIsNotReported) {
  for (const char* number : {"99999", "-1", "7"}) {
    const ScriptedPeer peer(Manners::kSay, std::string("HTTP/1.1 ") + number + " Odd\r\nContent-Length: 0\r\n\r\n");

    const wire::HealthObservation said = engine_.Check(BasicTask(wire::PROXY_SCHEME_HTTP, peer.port()));

    EXPECT_EQ(Words(said), "FAIL PROXY_HANDSHAKE PROTOCOL") << number;
    EXPECT_EQ(said.http_status(), 0) << number;
  }
}

TEST_F(BasicCheck, APeerThatNeverStopsTalkingIsCutOff) {
  const ScriptedPeer headers(Manners::kFlood, "HTTP/1.1 407 No\r\nX-More: " + std::string(1000, 'x') + "\r\n");
  const ScriptedPeer body(Manners::kFlood,
                          "HTTP/1.1 407 No\r\nContent-Length: 999999999\r\n\r\n" + std::string(9000, 'x'));

  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_HTTP, headers.port()), "FAIL PROXY_HANDSHAKE PROTOCOL");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_HTTP, body.port()), "FAIL PROXY_HANDSHAKE PROTOCOL");
}

TEST_F(BasicCheck, AnEchoThatIsDownIsNoFaultOfTheProxy) {
  const RealProxy http = RealProxy::Tinyproxy({});
  const RealProxy socks = RealProxy::Microsocks({});
  CheckSettings settings = LoopbackSettings(judge_.port());
  settings.echo->port = FreePort();
  RunningEngine engine(settings);

  const wire::HealthObservation said = engine.Check(BasicTask(wire::PROXY_SCHEME_HTTP, http.port()));
  EXPECT_EQ(said.verdict(), wire::VERDICT_INCONCLUSIVE);
  EXPECT_EQ(engine.Check(BasicTask(wire::PROXY_SCHEME_SOCKS5, socks.port())).verdict(), wire::VERDICT_INCONCLUSIVE);
  EXPECT_EQ(engine.engine().counts().inconclusive[static_cast<std::size_t>(Trouble::kDirectPath)], 2);
}

TEST_F(BasicCheck, WhatTheEnvironmentSaysOfProxiesIsNotRead) {
  const RealProxy proxy = RealProxy::Tinyproxy({});
  const std::string nowhere = "http://127.0.0.1:" + std::to_string(FreePort());
  setenv("http_proxy", nowhere.c_str(), 1);
  setenv("ALL_PROXY", nowhere.c_str(), 1);
  setenv("no_proxy", "*", 1);

  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_HTTP, proxy.port()), "PASS TUNNEL NONE");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_HTTP, FreePort()), "FAIL DIAL REFUSED") << "the proxy was passed by";

  for (const char* variable : {"http_proxy", "ALL_PROXY", "no_proxy"}) unsetenv(variable);
}

// ---- passwords ------------------------------------------------------------------------------------------------------

class BasicCheckWithPassword : public ::testing::Test {
 protected:
  static SecretBook Secrets() {
    const std::string path = WriteFile("secrets.json", R"({
      "right": {"username": "alice", "password": "open-sesame_1"},
      "odd": {"username": "al:ice@home", "password": "pass:word@/%41 "},
      "wrong": {"username": "alice", "password": "guess"},
      "bare": {"username": "alice", "password": null}})");
    return *SecretBook::Load(path);
  }

  std::string WordsFor(wire::ProxyScheme scheme, std::uint16_t port, const std::string& secret_ref) {
    wire::CheckTask task = BasicTask(scheme, port);
    task.set_secret_ref(secret_ref);
    return Words(engine_.Check(task));
  }

  RunningJudge judge_;
  RunningEngine engine_{LoopbackSettings(judge_.port()), Secrets()};
};

TEST_F(BasicCheckWithPassword, TinyproxyTakesTheRightOneOnly) {
  const RealProxy proxy = RealProxy::Tinyproxy({"BasicAuth alice open-sesame_1"});

  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_HTTP, proxy.port(), "right"), "PASS TUNNEL NONE");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_HTTP, proxy.port(), "wrong"), "FAIL PROXY_HANDSHAKE AUTH");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_HTTP, proxy.port(), ""), "FAIL PROXY_HANDSHAKE AUTH");
}

TEST_F(BasicCheckWithPassword, MicrosocksTakesTheRightOneOnly) {
  const RealProxy proxy = RealProxy::Microsocks({"-u", "alice", "-P", "open-sesame_1"});

  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS5, proxy.port(), "right"), "PASS TUNNEL NONE");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS5H, proxy.port(), "wrong"), "FAIL PROXY_HANDSHAKE AUTH");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS5, proxy.port(), ""), "FAIL PROXY_HANDSHAKE AUTH");
}

TEST_F(BasicCheckWithPassword, ACredentialIsSentAsItIsWhateverItsCharacters) {
  const RealProxy proxy = RealProxy::Microsocks({"-u", "al:ice@home", "-P", "pass:word@/%41 "});

  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS5, proxy.port(), "odd"), "PASS TUNNEL NONE");
}

TEST_F(BasicCheckWithPassword, ASocks4UserIdIsSent) {
  const Socks4Relay proxy("alice");

  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS4, proxy.port(), "bare"), "PASS TUNNEL NONE");
  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_SOCKS4A, proxy.port(), ""), "FAIL PROXY_HANDSHAKE AUTH");
}

TEST_F(BasicCheckWithPassword, ASecretThatNobodyKnowsIsTheCheckersTroubleAndNothingIsDialled) {
  const ScriptedPeer peer(Manners::kHang);

  EXPECT_EQ(WordsFor(wire::PROXY_SCHEME_HTTP, peer.port(), "unheard-of"), "INCONCLUSIVE UNSPECIFIED UNSPECIFIED");

  EXPECT_EQ(peer.accepted(), 0);
  EXPECT_EQ(engine_.engine().counts().inconclusive[static_cast<std::size_t>(Trouble::kUnknownSecret)], 1);
}

TEST_F(BasicCheckWithPassword, NoObservationHoldsACredential) {
  const RealProxy proxy = RealProxy::Tinyproxy({"BasicAuth alice open-sesame_1"});
  for (const char* secret_ref : {"right", "wrong"}) WordsFor(wire::PROXY_SCHEME_HTTP, proxy.port(), secret_ref);

  for (const wire::HealthObservation& said : engine_.said()) {
    EXPECT_THAT(said.DebugString(), ::testing::Not(::testing::ContainsRegex("alice|sesame|guess|YWxpY2U|right|wrong")));
  }
}

}  // namespace
}  // namespace holdfast::checker
