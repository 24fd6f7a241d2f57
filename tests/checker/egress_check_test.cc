// EGRESS over loopback: which address comes out, what it gives away, and answers that are not the judge's.
//
// The checker's own address is 127.0.0.1 here; the proxies come out at 127.0.0.2.

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

class EgressCheck : public ::testing::Test {
 protected:
  wire::HealthObservation CheckHttp(const RealProxy& proxy) {
    return engine_.Check(EgressTask(wire::PROXY_SCHEME_HTTP, proxy.port()));
  }

  RunningJudge judge_;
  RunningEngine engine_{LoopbackSettings(judge_.port())};
};

TEST_F(EgressCheck, AnHttpProxyThatAddsNothingIsElite) {
  const RealProxy proxy = RealProxy::Tinyproxy({"DisableViaHeader Yes"});

  const wire::HealthObservation said = CheckHttp(proxy);

  EXPECT_EQ(Words(said), "PASS RESPONSE_HEADERS NONE");
  EXPECT_EQ(said.anonymity(), wire::ANONYMITY_ELITE);
  EXPECT_EQ(said.egress_ip(), kProxyAddress);
  EXPECT_EQ(said.http_status(), 200);
}

TEST_F(EgressCheck, AHeaderOfTheProxyMakesItAnonymous) {
  const RealProxy via = RealProxy::Tinyproxy({});
  const RealProxy other = RealProxy::Tinyproxy({"DisableViaHeader Yes", "AddHeader \"X-Unheard-Of\" \"1\""});

  EXPECT_EQ(CheckHttp(via).anonymity(), wire::ANONYMITY_ANONYMOUS);
  EXPECT_EQ(CheckHttp(other).anonymity(), wire::ANONYMITY_ANONYMOUS);
}

TEST_F(EgressCheck, AProxyThatNamesItsClientIsTransparent) {
  const RealProxy own_header = RealProxy::Tinyproxy({"DisableViaHeader Yes", "XTinyproxy Yes"});
  const RealProxy forwarded =
      RealProxy::Tinyproxy({"DisableViaHeader Yes", "AddHeader \"Forwarded\" \"for=127.0.0.1:4711;proto=http\""});

  EXPECT_EQ(CheckHttp(own_header).anonymity(), wire::ANONYMITY_TRANSPARENT);
  EXPECT_EQ(CheckHttp(forwarded).anonymity(), wire::ANONYMITY_TRANSPARENT);
}

TEST_F(EgressCheck, AProxyThatComesOutAtTheCheckersOwnAddressIsTransparent) {
  const RealProxy proxy = RealProxy::Tinyproxy({"DisableViaHeader Yes"}, kCheckerAddress);

  const wire::HealthObservation said = CheckHttp(proxy);

  EXPECT_EQ(said.anonymity(), wire::ANONYMITY_TRANSPARENT);
  EXPECT_EQ(said.egress_ip(), kCheckerAddress);
}

TEST_F(EgressCheck, AnAddressThatOnlyTheProxySeesIsTheCheckersOwnAsWell) {
  // Over IPv6 the checker is ::1, which it never is to the judge.
  const RealProxy proxy =
      RealProxy::Tinyproxy({"Listen ::1", "DisableViaHeader Yes", "AddHeader \"X-Client\" \"::1\""});
  wire::CheckTask task = EgressTask(wire::PROXY_SCHEME_HTTP, proxy.port());
  task.mutable_endpoint()->set_host("::1");

  const wire::HealthObservation said = engine_.Check(task);

  EXPECT_EQ(said.anonymity(), wire::ANONYMITY_TRANSPARENT);
  EXPECT_EQ(said.egress_ip(), kProxyAddress);
}

TEST_F(EgressCheck, SocksProxiesAreEliteAndTheirTunnelEndsWell) {
  const RealProxy socks5 = RealProxy::Microsocks({});
  const Socks4Relay socks4;

  for (const wire::CheckTask& task :
       {EgressTask(wire::PROXY_SCHEME_SOCKS5, socks5.port()), EgressTask(wire::PROXY_SCHEME_SOCKS5H, socks5.port()),
        EgressTask(wire::PROXY_SCHEME_SOCKS4, socks4.port()), EgressTask(wire::PROXY_SCHEME_SOCKS4A, socks4.port())}) {
    const wire::HealthObservation said = engine_.Check(task);
    EXPECT_EQ(Words(said), "PASS TUNNEL NONE") << task.ShortDebugString();
    EXPECT_EQ(said.anonymity(), wire::ANONYMITY_ELITE);
    EXPECT_EQ(said.egress_ip(), kProxyAddress);
  }
}

TEST_F(EgressCheck, LessAnonymityThanTheTaskAsksForFailsThoughTheRequestWentWell) {
  const RealProxy proxy = RealProxy::Tinyproxy({});
  wire::CheckTask task = EgressTask(wire::PROXY_SCHEME_HTTP, proxy.port());

  task.set_min_anonymity(wire::ANONYMITY_ELITE);
  const wire::HealthObservation said = engine_.Check(task);
  EXPECT_EQ(Words(said), "FAIL RESPONSE_HEADERS NONE");
  EXPECT_EQ(said.anonymity(), wire::ANONYMITY_ANONYMOUS);

  wire::CheckTask content = EgressTask(wire::PROXY_SCHEME_HTTP, proxy.port());
  content.set_min_anonymity(wire::ANONYMITY_ANONYMOUS);
  EXPECT_EQ(engine_.Check(content).verdict(), wire::VERDICT_PASS);
}

TEST_F(EgressCheck, AnHttpsJudgeIsAskedThroughATunnelWhichNoProxyCanChange) {
  const TlsFront front(judge_.port());
  const RealProxy proxy = RealProxy::Tinyproxy({"XTinyproxy Yes"});
  CheckSettings settings = LoopbackSettings(judge_.port());
  settings.judge_url = "https://127.0.0.1:" + std::to_string(front.port()) + "/";
  settings.ca_file = TlsFront::CertificateFile();
  RunningEngine engine(settings);

  const wire::HealthObservation said = engine.Check(EgressTask(wire::PROXY_SCHEME_HTTP, proxy.port()));

  EXPECT_EQ(Words(said), "PASS TUNNEL NONE");
}

TEST_F(EgressCheck, APageThatIsNoReportFails) {
  const ScriptedPeer web(Manners::kSay, "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n<html>hi</html>");

  const wire::HealthObservation said = engine_.Check(EgressTask(wire::PROXY_SCHEME_HTTP, web.port()));

  EXPECT_EQ(Words(said), "FAIL RESPONSE_HEADERS PROTOCOL");
  EXPECT_EQ(said.http_status(), 200);
  EXPECT_EQ(said.anonymity(), wire::ANONYMITY_UNSPECIFIED);
}

TEST_F(EgressCheck, AReportFromAnotherTimeFails) {
  const std::string report = R"({"address": "203.0.113.9", "headers": {}, "nonce": "0123456789abcdef"})";
  const ScriptedPeer cache(Manners::kSay,
                           "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(report.size()) + "\r\n\r\n" + report);

  const wire::HealthObservation said = engine_.Check(EgressTask(wire::PROXY_SCHEME_HTTP, cache.port()));

  EXPECT_EQ(Words(said), "FAIL RESPONSE_HEADERS PROTOCOL");
  EXPECT_EQ(said.egress_ip(), "");
}

TEST_F(EgressCheck, AnAnswerWithoutEndIsCutOffAndFails) {
  const ScriptedPeer flood(Manners::kFlood, "HTTP/1.1 200 OK\r\n\r\n{\"address\": \"" + std::string(9000, ' '));

  EXPECT_EQ(Words(engine_.Check(EgressTask(wire::PROXY_SCHEME_HTTP, flood.port()))), "FAIL RESPONSE_HEADERS PROTOCOL");
}

TEST_F(EgressCheck, APlainRequestThatMeets407FailsByAuthentication) {
  const RealProxy proxy = RealProxy::Tinyproxy({"BasicAuth alice open"});

  const wire::HealthObservation said = CheckHttp(proxy);

  EXPECT_EQ(Words(said), "FAIL PROXY_HANDSHAKE AUTH");
  EXPECT_EQ(said.http_status(), 407);
}

TEST_F(EgressCheck, WithoutAJudgeOrWithOneThatIsSickThereIsNoVerdict) {
  const RealProxy proxy = RealProxy::Microsocks({});
  const wire::CheckTask task = EgressTask(wire::PROXY_SCHEME_SOCKS5, proxy.port());
  CheckSettings none = LoopbackSettings(judge_.port());
  none.judge_url = "";
  const ScriptedPeer sick(Manners::kSay, "HTTP/1.1 500 Sick\r\nContent-Length: 0\r\n\r\n");
  CheckSettings sick_one = LoopbackSettings(sick.port());

  RunningEngine without(none);
  EXPECT_EQ(without.Check(task).verdict(), wire::VERDICT_INCONCLUSIVE);
  EXPECT_EQ(without.engine().counts().inconclusive[static_cast<std::size_t>(Trouble::kNotConfigured)], 1);
  RunningEngine with_sick(sick_one);
  EXPECT_EQ(with_sick.Check(task).verdict(), wire::VERDICT_INCONCLUSIVE);
  EXPECT_EQ(with_sick.engine().counts().inconclusive[static_cast<std::size_t>(Trouble::kDirectPath)], 1);
}

TEST_F(EgressCheck, AJudgeThatHangsLeavesNoVerdict) {
  const RealProxy proxy = RealProxy::Microsocks({});
  const ScriptedPeer hanging(Manners::kHang);
  RunningEngine engine(LoopbackSettings(hanging.port()));
  wire::CheckTask task = EgressTask(wire::PROXY_SCHEME_SOCKS5, proxy.port());
  SetTimeout(task, std::chrono::seconds(2));

  EXPECT_EQ(Words(engine.Check(task)), "INCONCLUSIVE TUNNEL TIMEOUT");
}

}  // namespace
}  // namespace holdfast::checker
