#include "tools/import/proxy_text.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/events/seeded_random.h"
#include "tests/import/import_run.h"
#include "tests/import/print_proxy.h"
#include "tools/import/countries.h"
#include "tools/import/host_and_port.h"

namespace holdfast::importer {
namespace {

// "scheme://user:password@host:port", or the name of the reason.
std::string Read(std::string_view text) {
  const Parsed<ParsedProxy> parsed = ParseProxyText(text, TextRules{false, ExpiryRules{kNow, std::nullopt}});
  if (const auto* reason = Refused(parsed)) return std::string(ReasonName(*reason));
  const ParsedProxy& proxy = std::get<ParsedProxy>(parsed);
  return PrintAsUrl(Endpoint{proxy.scheme.value_or(Scheme::kHttp), proxy.host, proxy.port}, proxy.credential);
}

TEST(ProxyText, NumericPasswordsAreReadWhereOnlyOneReadingFits) {
  EXPECT_EQ(Read("198.18.0.1:80:alice:1234"), "http://alice:1234@198.18.0.1:80");
  EXPECT_EQ(Read("alice:1234@198.18.0.1:80"), "http://alice:1234@198.18.0.1:80");
  EXPECT_EQ(Read("198.18.0.1:80:198.18.0.2:81"), "ambiguous_credentials");
  EXPECT_EQ(Read("198.18.0.1:80:alice:x@198.18.0.2:81"), "ambiguous_credentials");
  EXPECT_EQ(Read("alice:80:x@198.18.0.2:81"), "ambiguous_credentials");
}

TEST(ProxyText, UserAndPasswordWithoutASchemeAreReadAsInAUrl) {
  EXPECT_EQ(Read("al+ice:p%40ss@198.18.0.1:80"), "http://al%2Bice:p%40ss@198.18.0.1:80");
  EXPECT_EQ(Read("alice:p@ss@198.18.0.1:80"), "http://alice:p%40ss@198.18.0.1:80");
  EXPECT_EQ(Read("token@[2001:db8::1]:80"), "http://token@[2001:db8::1]:80");
  EXPECT_EQ(Read("alice:pw@198.18.0.1:80 # rack 7"), "http://alice:pw@198.18.0.1:80");
  EXPECT_EQ(Read("alice:pw@198.18.0.1"), "missing_port");
  EXPECT_EQ(Read("alice@198.18.0.1"), "missing_port");
  EXPECT_EQ(Read("alice:pw@198.18.0.1:99999"), "port_out_of_range");
}

TEST(ProxyText, ACommentWithAnAddressInItNeverBecomesTheHost) {
  EXPECT_EQ(Read("198.18.0.1:80 # ask bob@other.example:81"), "http://198.18.0.1:80");
  EXPECT_EQ(Read("alice:pw@198.18.0.1:80 # ask bob@other.example:81"), "malformed_userinfo");
  EXPECT_EQ(Read("http://198.18.0.1:80 # ask bob@other.example:81"), "malformed_line");
  EXPECT_EQ(Read("http://198.18.0.1:80/@other.example:81"), "malformed_userinfo");
  EXPECT_EQ(Read("http://198.18.0.1:80#@other.example:81"), "malformed_userinfo");
  EXPECT_EQ(Read("alice:80 # x@198.18.0.1:81"), "malformed_line");
}

TEST(ProxyText, APasswordMayHoldWhatLooksLikeAUrlOrAComment) {
  EXPECT_EQ(Read("198.18.0.1:80:alice:http://x"), "http://alice:http%3A%2F%2Fx@198.18.0.1:80");
  EXPECT_EQ(Read("198.18.0.1:80:alice:# x"), "http://alice:%23%20x@198.18.0.1:80");
  EXPECT_EQ(Read("198.18.0.1:80:alice:"), "http://alice:@198.18.0.1:80");
  EXPECT_EQ(Read("198.18.0.1:80::pw"), "empty_username");
}

TEST(ProxyText, AnExpiryBehindThePortIsKeptOrTheLineRefused) {
  const TextRules rules{false, ExpiryRules{kNow, std::nullopt}};

  const auto parsed = std::get<ParsedProxy>(ParseProxyText("198.18.0.1:80,2030-01-01T00:00:00Z", rules));

  EXPECT_EQ(FormatExpiry(parsed.expires_at), "2030-01-01T00:00:00Z");
  EXPECT_EQ(Read("198.18.0.1:80,2030-01-01 00:00:00"), "malformed_line");
  EXPECT_EQ(Read("198.18.0.1:80,tomorrow"), "malformed_line");
  EXPECT_EQ(Read("198.18.0.1:80 2030-01-01T00:00:00Z"), "malformed_line");
}

TEST(ProxyText, OtherPortsThanDecimalOnesAreRefused) {
  for (const char* port : {"080", "+80", "-80", " 80", "8 0", "80x", "0x50", "1e3"}) {
    EXPECT_EQ(Refused(ParsePort(port)) ? *Refused(ParsePort(port)) : RejectionReason::kExpired,
              RejectionReason::kBadPort)
        << port;
  }
  EXPECT_EQ(std::get<std::uint16_t>(ParsePort("1")), 1);
  EXPECT_EQ(std::get<std::uint16_t>(ParsePort("65535")), 65535);
  EXPECT_EQ(*Refused(ParsePort("65536")), RejectionReason::kPortOutOfRange);
  EXPECT_EQ(*Refused(ParsePort(std::string(1000, '9'))), RejectionReason::kPortOutOfRange);
  EXPECT_EQ(*Refused(ParsePort("")), RejectionReason::kMissingPort);
}

TEST(ProxyText, CountriesAreKnownInAnyCaseAndCodesInCapitals) {
  EXPECT_TRUE(IsCountryName("united states"));
  EXPECT_TRUE(IsCountryName("The Netherlands"));
  EXPECT_TRUE(IsCountryName("Türkiye"));
  EXPECT_FALSE(IsCountryName("alice"));
  EXPECT_TRUE(IsCountryCode("DE"));
  EXPECT_FALSE(IsCountryCode("de"));
  EXPECT_FALSE(IsCountryCode("XQ"));
  EXPECT_FALSE(IsCountryCode("FA")) << "letters of two neighbours in the table";
}

std::string RandomText(testing::SeededRandom* random, std::size_t longest) {
  constexpr std::string_view kAlphabet = "aZ09:@/?#%[] \"'\\,;|=&+-._~\xc3\xa4";
  std::string text;
  const std::size_t length = 1 + random->Below(longest);
  while (text.size() < length) {
    const char c = kAlphabet[random->Below(kAlphabet.size())];
    text += static_cast<unsigned char>(c) >= 0x80 ? "\xc3\xa4" : std::string(1, c);
  }
  return text;
}

TEST(ProxyText, WhatIsPrintedAsAUrlParsesToWhatItWas) {
  testing::SeededRandom random(5);
  const std::string hosts[] = {"198.18.0.1", "2001:db8::1", "proxy.example.com", "xn--bcher-kva.example", "squid"};

  for (int round = 0; round < 20000; ++round) {
    ParsedProxy proxy;
    proxy.scheme = SchemeFromNumber(static_cast<int>(1 + random.Below(6)));
    proxy.host = hosts[random.Below(5)];
    proxy.port = static_cast<std::uint16_t>(1 + random.Below(65535));
    if (random.Below(3) != 0) proxy.credential = Credential{RandomText(&random, 12), std::nullopt};
    if (proxy.credential && random.Below(3) != 0) proxy.credential->password = RandomText(&random, 20);
    const std::string text = PrintAsUrl(Endpoint{*proxy.scheme, proxy.host, proxy.port}, proxy.credential);

    const Parsed<ParsedProxy> parsed = ParseProxyText(text, TextRules());

    ASSERT_TRUE(std::holds_alternative<ParsedProxy>(parsed)) << text;
    ASSERT_EQ(std::get<ParsedProxy>(parsed), proxy) << text;
  }
}

}  // namespace
}  // namespace holdfast::importer
