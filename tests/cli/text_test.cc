// Times, sizes, tables, words and addresses: what people read and type.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "holdfast/admin/v1/admin.pb.h"
#include "tests/cli/cli_run.h"
#include "tools/cli/enum_word.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/server_address.h"
#include "tools/cli/table.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kSecond = 1'000'000;

TEST(TimeText, TimesAreInUtcAndToTheMicrosecondForPrograms) {
  EXPECT_EQ(TimeText(kTestNowMicros), "2026-09-01 00:00:00Z");
  EXPECT_EQ(Rfc3339(kTestNowMicros + 1), "2026-09-01T00:00:00.000001Z");
  EXPECT_EQ(ToMicros(ToTimestamp(kTestNowMicros + 7)), kTestNowMicros + 7);
  EXPECT_EQ(ToMicros(ToTimestamp(-1)), -1);
}

TEST(TimeText, AgesShowTheTwoLargestUnits) {
  EXPECT_EQ(DurationText(0), "0s");
  EXPECT_EQ(DurationText(900), "900us");
  EXPECT_EQ(DurationText(850'000), "850ms");
  EXPECT_EQ(DurationText(59 * kSecond), "59s");
  EXPECT_EQ(DurationText(303 * kSecond), "5m 3s");
  EXPECT_EQ(DurationText(7200 * kSecond), "2h");
  EXPECT_EQ(DurationText(-(86400 * 4 + 7200) * kSecond), "-4d 2h");
  EXPECT_EQ(TimeWithAge(kTestNowMicros - 3 * kSecond, kTestNowMicros), "2026-08-31 23:59:57Z (3s ago)");
  EXPECT_EQ(AgeText(kTestNowMicros + 25 * kSecond, kTestNowMicros), "in 25s");
  EXPECT_EQ(AgeText(kTestNowMicros, kTestNowMicros), "now");
}

TEST(TimeText, WhatAPersonTypesIsATimeOrNothing) {
  EXPECT_EQ(ParseTime("2026-09-01T00:00:00Z", 0), kTestNowMicros);
  EXPECT_EQ(ParseTime("2026-09-01T02:00:00+02:00", 0), kTestNowMicros);
  EXPECT_EQ(ParseTime("2026-09-01 00:00:00Z", 0), kTestNowMicros);
  EXPECT_EQ(ParseTime("2026-09-01", 0), kTestNowMicros);
  EXPECT_EQ(ParseTime("-15m", kTestNowMicros), kTestNowMicros - 900 * kSecond);
  EXPECT_EQ(ParseTime("now", kTestNowMicros), kTestNowMicros);
  EXPECT_EQ(ParseTime("2026-09-01T00:00:00", 0), std::nullopt) << "without a zone nobody knows";
  EXPECT_EQ(ParseTime("yesterday", 0), std::nullopt);
  EXPECT_EQ(ParseTime("", 0), std::nullopt);
  EXPECT_EQ(ParseDuration("250ms"), 250'000);
  EXPECT_EQ(ParseDuration("0s"), std::nullopt);
  EXPECT_EQ(ParseDuration("-1s"), std::nullopt);
  EXPECT_EQ(ParseDuration("10"), std::nullopt);
  EXPECT_EQ(ParseDuration("inf"), std::nullopt);
  EXPECT_EQ(ParseDurationOrZero("0"), 0);
  EXPECT_EQ(ParseDurationOrZero("1m30s"), 90 * kSecond);
  EXPECT_EQ(ParseDurationOrZero("-1s"), std::nullopt);
}

TEST(TimeText, SizesAndCountsAreReadable) {
  EXPECT_EQ(BytesText(512), "512 B");
  EXPECT_EQ(BytesText(1536), "1.5 KiB");
  EXPECT_EQ(BytesText(3ull << 30), "3.0 GiB");
  EXPECT_EQ(CountText(7), "7");
  EXPECT_EQ(CountText(1'234'567), "1,234,567");
  EXPECT_EQ(CountOf(1, "proxy", "proxies"), "1 proxy");
  EXPECT_EQ(CountOf(1'000, "proxy", "proxies"), "1,000 proxies");
}

TEST(PrintableText, NothingMovesTheCursorOrFakesALine) {
  EXPECT_EQ(PrintableText("a\x1b[2Jb\nc"), "a\\x1b[2Jb\\x0ac");
  EXPECT_EQ(PrintableText("\xc2\x9b"), "\\xc2\\x9b") << "C1 control";
  EXPECT_EQ(PrintableText("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "right-to-left override";
  EXPECT_EQ(PrintableText("M\xc3\xbcnchen"), "M\xc3\xbcnchen");
  EXPECT_EQ(PrintableText("M\xfcnchen"), "M\\xfcnchen") << "Latin-1 is no UTF-8";
  EXPECT_EQ(PrintableText("\xc0\xaf\xed\xa0\x80"), "\\xc0\\xaf\\xed\\xa0\\x80") << "overlong, surrogate";
  EXPECT_EQ(PrintableText("\xf0\x9f\x8c\x8d"), "\xf0\x9f\x8c\x8d");
  EXPECT_EQ(DisplayWidth("M\xc3\xbcnchen"), 7u);
}

TEST(Table, ColumnsAreAlignedAndEmptyCellsShow) {
  std::ostringstream out;
  Table table(out, {"NAME", "#COUNT", "NOTE"});

  table.Add({"M\xc3\xbcnchen", "7", ""});
  table.Add({"a", "1,234", "x\ny"});
  table.Finish(true);

  EXPECT_EQ(out.str(),
            "NAME     COUNT  NOTE\n"
            "M\xc3\xbcnchen      7  -\n"
            "a        1,234  x\\x0ay\n");
}

TEST(Table, ATableThatBrokeOffBeforeItsFirstRowShowsNothing) {
  std::ostringstream broken;
  std::ostringstream empty;

  Table(broken, {"NAME"}).Finish(false);
  Table(empty, {"NAME"}).Finish(true);

  EXPECT_EQ(broken.str(), "");
  EXPECT_EQ(empty.str(), "NAME\n");
}

TEST(EnumWord, WordsOfTheContractGoBothWays) {
  using admin::v1::PoolState;

  EXPECT_EQ(EnumWord(admin::v1::POOL_STATE_AVAILABLE), "available");
  EXPECT_EQ(EnumWord(static_cast<PoolState>(99)), "unknown_99");
  EXPECT_EQ(ParseEnumWord<PoolState>("AVAILABLE"), admin::v1::POOL_STATE_AVAILABLE);
  EXPECT_EQ(ParseEnumWord<PoolState>("unspecified"), std::nullopt);
  EXPECT_EQ(EnumWords<controlplane::v1::SessionKind>(),
            (std::vector<std::string>{"worker", "checker", "agent", "provider"}));
}

TEST(ServerAddress, PlaintextGoesToLoopbackOnly) {
  const auto target = [](const char* text) {
    std::string error;
    const auto address = ServerAddress::Parse(text, error);
    return address ? address->target() : "refused: " + error;
  };

  EXPECT_EQ(target("127.0.0.1:7443"), "ipv4:127.0.0.1:7443");
  EXPECT_EQ(target("localhost:7443"), "ipv4:127.0.0.1:7443");
  EXPECT_EQ(target("[::1]:7443"), "ipv6:[::1]:7443");
  EXPECT_EQ(target("unix:/run/holdfast.sock"), "unix:/run/holdfast.sock");
  EXPECT_THAT(target("192.0.2.1:7443"), HasSubstr("not a loopback address"));
  EXPECT_THAT(target("holdfast.example.org:7443"), HasSubstr("not a loopback address"));
  EXPECT_THAT(target("127.0.0.1"), HasSubstr("HOST:PORT"));
  EXPECT_THAT(target("127.0.0.1:0"), HasSubstr("1 to 65535"));
  EXPECT_THAT(target("127.0.0.1:70000"), HasSubstr("1 to 65535"));
  EXPECT_THAT(target("unix:"), HasSubstr("names no socket"));
}

TEST(ServerAddress, APasswordThatWasTypedIsNotRepeated) {
  std::string error;

  EXPECT_FALSE(ServerAddress::Parse("alice:hunter2@127.0.0.1:7443", error));

  EXPECT_THAT(error, ::testing::Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace holdfast::cli
