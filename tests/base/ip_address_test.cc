#include "base/ip_address.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <variant>

#include "tests/events/seeded_random.h"

namespace holdfast {
namespace {

std::string Printed(const ParsedIp& parsed) {
  const auto* address = std::get_if<IpAddress>(&parsed);
  return address == nullptr ? "refused" : address->ToString();
}

AddressKind KindOf(const std::string& text) {
  const ParsedIp parsed = text.find(':') == std::string::npos ? ParseIpv4(text) : ParseIpv6(text);
  return ClassifyAddress(std::get<IpAddress>(parsed));
}

TEST(Ipv4, OnlyFourPlainDecimalOctetsAreAnAddress) {
  EXPECT_EQ(Printed(ParseIpv4("198.18.0.1")), "198.18.0.1");
  EXPECT_EQ(Printed(ParseIpv4("0.0.0.0")), "0.0.0.0");
  EXPECT_EQ(Printed(ParseIpv4("255.255.255.255")), "255.255.255.255");

  for (const char* text : {"", "1", "1.2.3", "1.2.3.4.5", "1.2.3.4.", ".1.2.3.4", "1..2.3", "256.0.0.1", "1.2.3.999",
                           "1.2.3.4 ", "+1.2.3.4", "1.2.3.-4", "0x1.2.3.4", "1.2.3.1000", "1.2.3.4a"}) {
    EXPECT_EQ(std::get<IpProblem>(ParseIpv4(text)), IpProblem::kBadIpv4) << text;
  }
}

TEST(Ipv4, AnOctetWithALeadingZeroIsRefusedByItsOwnName) {
  for (const char* text : {"198.018.0.36", "0177.0.0.1", "198.018.000.037", "00.0.0.0", "1.2.3.04"}) {
    EXPECT_EQ(std::get<IpProblem>(ParseIpv4(text)), IpProblem::kLeadingZeroOctet) << text;
  }
}

TEST(Ipv6, EverySpellingPrintsAsRfc5952) {
  EXPECT_EQ(Printed(ParseIpv6("2001:DB8:0:0:0:0:0:2")), "2001:db8::2");
  EXPECT_EQ(Printed(ParseIpv6("2001:0db8:0000::0001")), "2001:db8::1");
  EXPECT_EQ(Printed(ParseIpv6("2001:db8:0:1:1:1:1:1")), "2001:db8:0:1:1:1:1:1");
  EXPECT_EQ(Printed(ParseIpv6("2001:db8:0:0:1:0:0:1")), "2001:db8::1:0:0:1");
  EXPECT_EQ(Printed(ParseIpv6("2001:0:0:1:0:0:0:1")), "2001:0:0:1::1");
  EXPECT_EQ(Printed(ParseIpv6("::")), "::");
  EXPECT_EQ(Printed(ParseIpv6("::1")), "::1");
  EXPECT_EQ(Printed(ParseIpv6("1::")), "1::");
  EXPECT_EQ(Printed(ParseIpv6("64:ff9b::198.18.0.1")), "64:ff9b::c612:1");
}

TEST(Ipv6, AMappedAddressIsTheIpv4Address) {
  EXPECT_EQ(Printed(ParseIpv6("::ffff:198.18.0.47")), "198.18.0.47");
  EXPECT_EQ(Printed(ParseIpv6("::FFFF:c612:002f")), "198.18.0.47");
  EXPECT_EQ(KindOf("::ffff:10.0.0.5"), AddressKind::kPrivate);
}

TEST(Ipv6, WhatIsNoAddressIsRefused) {
  for (const char* text : {"", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "2001:db8::g",
                           "12345::", "::1.2.3", "::01.2.3.4", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4", ":1:2:3:4:5:6:7",
                           "1:2:3:4:5:6:7:", "1:2:3:4:5:6:7:8::", "[::1]", "zone%1"}) {
    EXPECT_EQ(std::get<IpProblem>(ParseIpv6(text)), IpProblem::kBadIpv6) << text;
  }
  EXPECT_EQ(std::get<IpProblem>(ParseIpv6("fe80::1%eth0")), IpProblem::kIpv6Zone);
}

TEST(Ipv6, PrintingAndParsingAnyAddressGivesItBack) {
  testing::SeededRandom random(7);

  for (int round = 0; round < 20000; ++round) {
    IpAddress::Bytes bytes;
    for (auto& byte : bytes) byte = random.Below(3) == 0 ? static_cast<std::uint8_t>(random.Number()) : 0;
    const IpAddress address = IpAddress::V6(bytes);
    const std::string text = address.ToString();

    const ParsedIp again = address.is_v4() ? ParseIpv4(text) : ParseIpv6(text);

    ASSERT_TRUE(std::holds_alternative<IpAddress>(again)) << text;
    ASSERT_EQ(std::get<IpAddress>(again), address) << text;
  }
}

TEST(Classification, EveryRangeHasItsKindFromItsFirstToItsLastAddress) {
  EXPECT_EQ(KindOf("0.0.0.0"), AddressKind::kUnspecified);
  EXPECT_EQ(KindOf("0.0.0.1"), AddressKind::kThisNetwork);
  EXPECT_EQ(KindOf("0.255.255.255"), AddressKind::kThisNetwork);
  EXPECT_EQ(KindOf("1.0.0.0"), AddressKind::kPublic);
  EXPECT_EQ(KindOf("9.255.255.255"), AddressKind::kPublic);
  EXPECT_EQ(KindOf("10.0.0.0"), AddressKind::kPrivate);
  EXPECT_EQ(KindOf("10.255.255.255"), AddressKind::kPrivate);
  EXPECT_EQ(KindOf("100.63.255.255"), AddressKind::kPublic);
  EXPECT_EQ(KindOf("100.64.0.0"), AddressKind::kShared);
  EXPECT_EQ(KindOf("100.127.255.255"), AddressKind::kShared);
  EXPECT_EQ(KindOf("100.128.0.0"), AddressKind::kPublic);
  EXPECT_EQ(KindOf("127.0.0.0"), AddressKind::kLoopback);
  EXPECT_EQ(KindOf("127.255.255.255"), AddressKind::kLoopback);
  EXPECT_EQ(KindOf("169.254.0.0"), AddressKind::kLinkLocal);
  EXPECT_EQ(KindOf("169.255.0.0"), AddressKind::kPublic);
  EXPECT_EQ(KindOf("172.15.255.255"), AddressKind::kPublic);
  EXPECT_EQ(KindOf("172.16.0.0"), AddressKind::kPrivate);
  EXPECT_EQ(KindOf("172.31.255.255"), AddressKind::kPrivate);
  EXPECT_EQ(KindOf("172.32.0.0"), AddressKind::kPublic);
  EXPECT_EQ(KindOf("192.168.255.255"), AddressKind::kPrivate);
  EXPECT_EQ(KindOf("192.169.0.0"), AddressKind::kPublic);
  EXPECT_EQ(KindOf("223.255.255.255"), AddressKind::kPublic);
  EXPECT_EQ(KindOf("224.0.0.0"), AddressKind::kMulticast);
  EXPECT_EQ(KindOf("239.255.255.255"), AddressKind::kMulticast);
  EXPECT_EQ(KindOf("240.0.0.0"), AddressKind::kReserved);
  EXPECT_EQ(KindOf("255.255.255.254"), AddressKind::kReserved);
  EXPECT_EQ(KindOf("255.255.255.255"), AddressKind::kBroadcast);
}

TEST(Classification, DocumentationAndBenchmarkRangesArePublic) {
  for (const char* text : {"192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "198.19.255.255", "2001:db8::1"}) {
    EXPECT_EQ(KindOf(text), AddressKind::kPublic) << text;
  }
}

TEST(Classification, Ipv6RangesHaveTheirKind) {
  EXPECT_EQ(KindOf("::"), AddressKind::kUnspecified);
  EXPECT_EQ(KindOf("::1"), AddressKind::kLoopback);
  EXPECT_EQ(KindOf("::2"), AddressKind::kReserved);
  EXPECT_EQ(KindOf("::198.18.0.1"), AddressKind::kReserved);
  EXPECT_EQ(KindOf("fe80::1"), AddressKind::kLinkLocal);
  EXPECT_EQ(KindOf("febf::1"), AddressKind::kLinkLocal);
  EXPECT_EQ(KindOf("fec0::1"), AddressKind::kPrivate);
  EXPECT_EQ(KindOf("fc00::1"), AddressKind::kPrivate);
  EXPECT_EQ(KindOf("fdff::1"), AddressKind::kPrivate);
  EXPECT_EQ(KindOf("ff02::1"), AddressKind::kMulticast);
  EXPECT_EQ(KindOf("100::1"), AddressKind::kReserved);
}

TEST(Classification, AnAddressThatCarriesAnIpv4AddressIsOfItsKind) {
  EXPECT_EQ(KindOf("2002:0a00:0001::1"), AddressKind::kPrivate);
  EXPECT_EQ(KindOf("2002:c612:0001::1"), AddressKind::kPublic);
  EXPECT_EQ(KindOf("64:ff9b::127.0.0.1"), AddressKind::kLoopback);
  EXPECT_EQ(KindOf("64:ff9b::198.18.0.1"), AddressKind::kPublic);
}

}  // namespace
}  // namespace holdfast
