// TARGET over loopback: expected statuses, the target's own timeout, and targets that nobody reaches.

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

std::string UrlOf(std::uint16_t port, const std::string& scheme = "http") {
  return scheme + "://127.0.0.1:" + std::to_string(port) + "/page";
}

std::string Answer(const std::string& status) { return "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n"; }

class TargetCheck : public ::testing::Test {
 protected:
  RunningJudge judge_;
  RealProxy http_ = RealProxy::Tinyproxy({});
  RealProxy socks_ = RealProxy::Microsocks({});
  RunningEngine engine_{LoopbackSettings(judge_.port())};
};

TEST_F(TargetCheck, ATargetThatAnswersAsExpectedPassesWithItsStatusAndRouting) {
  const ScriptedPeer target(Manners::kSay, Answer("204 Nothing"));
  wire::CheckTask task = TargetTask(wire::PROXY_SCHEME_HTTP, http_.port(), UrlOf(target.port()));
  task.mutable_target()->add_expected_status(200);
  task.mutable_target()->add_expected_status(204);

  const wire::HealthObservation said = engine_.Check(task);

  EXPECT_EQ(Words(said), "PASS RESPONSE_HEADERS NONE");
  EXPECT_EQ(said.http_status(), 204);
  EXPECT_EQ(said.routing_id(), "routing-1");
  EXPECT_EQ(said.level(), wire::CHECK_LEVEL_TARGET);
}

TEST_F(TargetCheck, WithoutExpectedStatusesARedirectPassesAndIsNotFollowed) {
  const ScriptedPeer elsewhere(Manners::kHang);
  const ScriptedPeer target(
      Manners::kSay, "HTTP/1.1 302 Found\r\nLocation: " + UrlOf(elsewhere.port()) + "\r\nContent-Length: 0\r\n\r\n");

  const wire::HealthObservation said =
      engine_.Check(TargetTask(wire::PROXY_SCHEME_SOCKS5H, socks_.port(), UrlOf(target.port())));

  EXPECT_EQ(Words(said), "PASS TUNNEL NONE");
  EXPECT_EQ(said.http_status(), 302);
  EXPECT_EQ(elsewhere.accepted(), 0);
}

TEST_F(TargetCheck, AStatusThatOnlyTheProxyGetsFails) {
  const ScriptedPeer target(Manners::kSay, Answer("200 OK"));
  const ScriptedPeer blocking(Manners::kSay, Answer("451 Blocked"));

  const wire::HealthObservation said =
      engine_.Check(TargetTask(wire::PROXY_SCHEME_HTTP, blocking.port(), UrlOf(target.port())));

  EXPECT_EQ(Words(said), "FAIL RESPONSE_HEADERS PROTOCOL");
  EXPECT_EQ(said.http_status(), 451);
}

TEST_F(TargetCheck, AStatusThatEverybodyGetsIsNoFaultOfTheProxy) {
  const ScriptedPeer target(Manners::kSay, Answer("503 Away"));

  const wire::HealthObservation said =
      engine_.Check(TargetTask(wire::PROXY_SCHEME_SOCKS5, socks_.port(), UrlOf(target.port())));

  EXPECT_EQ(said.verdict(), wire::VERDICT_INCONCLUSIVE);
  EXPECT_EQ(said.http_status(), 503);
}

TEST_F(TargetCheck, HeadIsSentWhereItIsAskedFor) {
  const wire::CheckTask get = TargetTask(wire::PROXY_SCHEME_SOCKS5, socks_.port(), judge_.url());
  wire::CheckTask head = TargetTask(wire::PROXY_SCHEME_SOCKS5, socks_.port(), judge_.url());
  head.mutable_target()->set_method("HEAD");
  wire::CheckTask other = TargetTask(wire::PROXY_SCHEME_SOCKS5, socks_.port(), judge_.url());
  other.mutable_target()->set_method("DELETE");

  EXPECT_EQ(engine_.Check(get).verdict(), wire::VERDICT_PASS);
  EXPECT_EQ(engine_.Check(head).verdict(), wire::VERDICT_PASS);
  EXPECT_EQ(engine_.Check(other).verdict(), wire::VERDICT_INCONCLUSIVE) << "a check changes nothing at a target";
}

TEST_F(TargetCheck, ATargetThatClosesInsideTheTunnelFailsOnlyWhereTheDirectPathWorks) {
  const ScriptedPeer closing(Manners::kClose);

  EXPECT_EQ(engine_.Check(TargetTask(wire::PROXY_SCHEME_SOCKS5, socks_.port(), UrlOf(closing.port()))).verdict(),
            wire::VERDICT_INCONCLUSIVE);
}

TEST_F(TargetCheck, AProxyThatBreaksTheTunnelFailsBehindIt) {
  // A SOCKS4 proxy that grants everything and then says nothing of HTTP.
  const ScriptedPeer granting(Manners::kSay, std::string("\0\x5a\0\0\0\0\0\0", 8));
  const ScriptedPeer target(Manners::kSay, Answer("200 OK"));

  const wire::HealthObservation said =
      engine_.Check(TargetTask(wire::PROXY_SCHEME_SOCKS4, granting.port(), UrlOf(target.port())));

  EXPECT_EQ(Words(said), "FAIL TUNNEL RESET");
}

TEST_F(TargetCheck, AnHttpsTargetIsVerifiedThroughTheProxy) {
  const TlsFront target(judge_.port());
  CheckSettings settings = LoopbackSettings(judge_.port());
  settings.ca_file = TlsFront::CertificateFile();
  RunningEngine trusting(settings);
  // What answers in the target's place has no certificate at all.
  const ScriptedPeer intercepting(Manners::kSay, "HTTP/1.1 200 Connected\r\n\r\n");
  const std::string url = UrlOf(target.port(), "https");

  EXPECT_EQ(Words(trusting.Check(TargetTask(wire::PROXY_SCHEME_HTTP, http_.port(), url))), "PASS TUNNEL NONE");
  EXPECT_EQ(Words(trusting.Check(TargetTask(wire::PROXY_SCHEME_SOCKS5, socks_.port(), url))), "PASS TUNNEL NONE");
  EXPECT_EQ(Words(trusting.Check(TargetTask(wire::PROXY_SCHEME_HTTP, intercepting.port(), url))), "FAIL TUNNEL TLS");
  EXPECT_EQ(engine_.Check(TargetTask(wire::PROXY_SCHEME_HTTP, http_.port(), url)).verdict(), wire::VERDICT_INCONCLUSIVE)
      << "who does not trust the target on the direct path cannot blame a proxy";
}

TEST_F(TargetCheck, TheTargetsOwnTimeoutIsKept) {
  const ScriptedPeer granting_and_hanging(Manners::kHang);
  const ScriptedPeer target(Manners::kSay, Answer("200 OK"));
  wire::CheckTask task = TargetTask(wire::PROXY_SCHEME_HTTP, granting_and_hanging.port(), UrlOf(target.port()));
  task.mutable_target()->mutable_timeout()->set_seconds(2);

  const wire::HealthObservation said = engine_.Check(task);

  EXPECT_EQ(Words(said), "FAIL RESPONSE_HEADERS TIMEOUT");
  EXPECT_LT(said.latency().seconds(), 2) << "the task's own twenty seconds are not waited for";
}

TEST_F(TargetCheck, WhatIsNoUrlToAskIsNotAsked) {
  for (const char* url : {"", "127.0.0.1", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "http://a b/",
                          "http://user:word@127.0.0.1/", "gopher://127.0.0.1:1/"}) {
    EXPECT_EQ(Words(engine_.Check(TargetTask(wire::PROXY_SCHEME_HTTP, http_.port(), url))),
              "INCONCLUSIVE UNSPECIFIED UNSPECIFIED")
        << url;
  }
  EXPECT_EQ(engine_.engine().counts().inconclusive[static_cast<std::size_t>(Trouble::kMalformedTask)], 8);
}

}  // namespace
}  // namespace holdfast::checker
