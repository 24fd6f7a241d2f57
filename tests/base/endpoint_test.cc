#include "base/endpoint.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/events/seeded_random.h"

namespace holdfast {
namespace {

HostProblem ProblemOf(std::string_view text) {
  const NormalisedHost host = NormaliseHost(text);
  EXPECT_FALSE(host.ok()) << text << " became " << host.host;
  return host.problem.value_or(HostProblem::kEmpty);
}

TEST(SchemeText, TheSixNamesInAnyCaseAndNothingElse) {
  for (const std::string_view name : {"http", "https", "socks4", "socks4a", "socks5", "socks5h"}) {
    ASSERT_TRUE(ParseScheme(name).has_value()) << name;
    EXPECT_EQ(SchemeName(*ParseScheme(name)), name);
  }
  EXPECT_EQ(ParseScheme("SOCKS5H"), Scheme::kSocks5h);
  EXPECT_EQ(ParseScheme("Http"), Scheme::kHttp);

  for (const std::string_view name : {"", "socks", "ftp", "http ", "socks5x", "sock5"}) {
    EXPECT_FALSE(ParseScheme(name).has_value()) << name;
  }
}

TEST(SchemeText, NumbersAreThoseOfTheWire) {
  EXPECT_EQ(SchemeFromNumber(1), Scheme::kHttp);
  EXPECT_EQ(SchemeFromNumber(6), Scheme::kSocks5h);
  EXPECT_FALSE(SchemeFromNumber(0).has_value());
  EXPECT_FALSE(SchemeFromNumber(7).has_value());
  EXPECT_FALSE(SchemeFromNumber(-1).has_value());
  EXPECT_TRUE(ResolvesNamesRemotely(Scheme::kSocks4a));
  EXPECT_FALSE(ResolvesNamesRemotely(Scheme::kSocks5));
}

TEST(Host, NamesBecomeLowerCaseWithoutTheLastDot) {
  EXPECT_EQ(NormaliseHost("Proxy-A.Example.COM").host, "proxy-a.example.com");
  EXPECT_EQ(NormaliseHost("proxy-b.example.com.").host, "proxy-b.example.com");
  EXPECT_EQ(NormaliseHost("squid").host, "squid");
  EXPECT_EQ(NormaliseHost("1.2.3.example.com").host, "1.2.3.example.com");
}

TEST(Host, InternationalNamesBecomeALabels) {
  EXPECT_EQ(NormaliseHost("bücher.example").host, "xn--bcher-kva.example");
  EXPECT_EQ(NormaliseHost("MÜNCHEN.example.com").host, "xn--mnchen-3ya.example.com");
  EXPECT_EQ(NormaliseHost("u\xcc\x88"
                          "ber.example")
                .host,
            "xn--ber-goa.example");
  EXPECT_EQ(NormaliseHost("пример.example").host, "xn--e1afmkfd.example");
  EXPECT_EQ(NormaliseHost("XN--BCHER-KVA.example").host, "xn--bcher-kva.example");
}

TEST(Host, ALabelsThatDecodeToNothingAreRefused) {
  EXPECT_EQ(ProblemOf("xn--\x7f.example"), HostProblem::kBadName);
  EXPECT_EQ(ProblemOf("xn--a-ecp.ru-"), HostProblem::kBadName);
  EXPECT_EQ(ProblemOf("xn--bcher-kvaaaaa1.example"), HostProblem::kBadName);
  EXPECT_EQ(ProblemOf("\xff\xfe.example"), HostProblem::kBadName);
}

TEST(Host, FullWidthDigitsAndDotsNeverBecomeAnAddress) {
  for (const char* text : {"１９８.18.0.26", "127。0。0。1", "１２７.0.0.1", "example.１２"}) {
    const NormalisedHost host = NormaliseHost(text);
    EXPECT_FALSE(host.ok()) << text;
    EXPECT_TRUE(host.host.empty()) << host.host;
  }
  EXPECT_EQ(NormaliseHost("ｌｏｃａｌｈｏｓｔ").problem, HostProblem::kSpecialAddress);
}

TEST(Host, LengthsOfLabelsAndNamesAreBounded) {
  const std::string label63(63, 'a');
  const std::string label64(64, 'a');
  std::string name253;
  for (int i = 0; i < 3; ++i) name253 += label63 + ".";
  name253 += std::string(253 - name253.size(), 'b');

  EXPECT_TRUE(NormaliseHost(label63 + ".example.com").ok());
  EXPECT_EQ(ProblemOf(label64 + ".example.com"), HostProblem::kBadName);
  EXPECT_TRUE(NormaliseHost(name253).ok());
  EXPECT_EQ(ProblemOf("a" + name253), HostProblem::kBadName);
  EXPECT_EQ(ProblemOf(std::string(100000, 'a')), HostProblem::kBadName);
}

TEST(Host, NamesThatNoResolverShouldSeeAreRefused) {
  for (const char* text :
       {"-bad.example.com", "bad-.example.com", "proxy..example.com", ".example.com", ".", "a b.example",
        "proxy_c.example.com", "198.18.0.42-45", "example.com:80", "198.18.10.11:8080", "a\tb.example"}) {
    EXPECT_EQ(ProblemOf(text), HostProblem::kBadName) << text;
  }
  EXPECT_EQ(ProblemOf(std::string_view("a\0b.example", 11)), HostProblem::kBadName);
}

TEST(Host, WhatEndsInANumberIsAnIpv4AddressOrRefused) {
  for (const char* text : {"198.18.35", "198.18.0.35.1", "3323068454", "0xC6120027", "198.18.0.39.", "-198.18.0.40",
                           "proxy.example.300", "proxy.example.0x1f", "127.1"}) {
    EXPECT_EQ(ProblemOf(text), HostProblem::kBadIpv4) << text;
  }
  EXPECT_EQ(ProblemOf("0177.0.0.1"), HostProblem::kLeadingZeroOctet);
}

TEST(Host, SpecialAddressesAreRefusedWithTheirKindUnlessAllowed) {
  const NormalisedHost refused = NormaliseHost("10.0.0.5");
  EXPECT_EQ(refused.problem, HostProblem::kSpecialAddress);
  EXPECT_EQ(refused.kind, AddressKind::kPrivate);
  EXPECT_EQ(refused.host, "10.0.0.5");
  EXPECT_EQ(NormaliseHost("LocalHost.").kind, AddressKind::kLoopback);
  EXPECT_EQ(NormaliseHost("db.localhost").problem, HostProblem::kSpecialAddress);
  EXPECT_EQ(NormaliseHost("::ffff:10.0.0.5").kind, AddressKind::kPrivate);

  const NormalisedHost allowed = NormaliseHost("10.0.0.5", true);
  EXPECT_TRUE(allowed.ok());
  EXPECT_EQ(allowed.kind, AddressKind::kPrivate);
}

TEST(Host, UserInformationIsRefusedByItsOwnNameAndNeverRepeated) {
  const NormalisedHost host = NormaliseHost("alice:s3cret@proxy.example.com");

  EXPECT_EQ(host.problem, HostProblem::kUserInformation);
  EXPECT_EQ(DescribeHostProblem(host).find("s3cret"), std::string_view::npos);
  EXPECT_NE(DescribeHostProblem(host).find("secret_ref"), std::string_view::npos);
}

TEST(Host, EveryProblemSaysWhatToDo) {
  for (const char* text : {"", "a@b", "1.2.3", "01.2.3.4", "1:2", "fe80::1%a", "a b", "10.0.0.1"}) {
    EXPECT_GT(DescribeHostProblem(NormaliseHost(text)).size(), 20u) << text;
  }
}

TEST(Host, NormalisingTwiceChangesNothing) {
  testing::SeededRandom random(11);
  const std::string_view alphabet = "aZ09.-:xn@ü_%\xcc\x88[]";

  for (int round = 0; round < 50000; ++round) {
    std::string text;
    const std::size_t length = 1 + random.Below(14);
    for (std::size_t i = 0; i < length; ++i) text.push_back(alphabet[random.Below(alphabet.size())]);
    const NormalisedHost once = NormaliseHost(text, true);
    if (!once.ok()) continue;

    const NormalisedHost twice = NormaliseHost(once.host, true);

    ASSERT_TRUE(twice.ok()) << text << " " << once.host;
    ASSERT_EQ(twice.host, once.host) << text;
    ASSERT_EQ(twice.kind, once.kind) << text;
  }
}

TEST(EndpointText, TheCanonicalUrlPutsIpv6IntoBracketsAndTheReferenceBeforeTheAt) {
  EXPECT_EQ(CanonicalUrl(Endpoint{Scheme::kHttp, "198.18.0.1", 8080}, ""), "http://198.18.0.1:8080");
  EXPECT_EQ(CanonicalUrl(Endpoint{Scheme::kSocks5h, "2001:db8::1", 1}, "cred-1"), "socks5h://cred-1@[2001:db8::1]:1");
  EXPECT_EQ(AddressText("proxy.example.com", 65535, "r"), "r@proxy.example.com:65535");
  EXPECT_EQ(AddressText("2001:db8::1", 80, ""), "[2001:db8::1]:80");
}

TEST(SecretInText, AUrlWithUserInformationIsSeenWhereverItStands) {
  EXPECT_TRUE(LooksLikeUrlWithUserInfo("http://alice:pw@proxy.example.com:80"));
  EXPECT_TRUE(LooksLikeUrlWithUserInfo("see socks5://token@198.18.0.1 for more"));
  EXPECT_TRUE(LooksLikeUrlWithUserInfo("http://a http://b@c"));

  for (const char* text : {"", "alice@example.com", "http://proxy.example.com", "https://example.com/@user",
                           "https://example.com/?mail=a@b", "://a@b", "a:b@c"}) {
    EXPECT_FALSE(LooksLikeUrlWithUserInfo(text)) << text;
  }
}

}  // namespace
}  // namespace holdfast
