#include "tools/import/expiry.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/import/import_run.h"

namespace holdfast::importer {
namespace {

std::string Read(std::string_view text, std::optional<std::chrono::minutes> offset = std::nullopt) {
  const Parsed<LogTime> parsed = ParseExpiry(text, ExpiryRules{kNow, offset});
  if (const auto* reason = Refused(parsed)) return std::string(ReasonName(*reason));
  return FormatExpiry(std::get<LogTime>(parsed));
}

TEST(Expiry, TheNotationsOfListsMeanOneTime) {
  for (const char* text : {"2030-01-01T00:00:00Z", "2030-01-01t00:00:00z", "2030-01-01 00:00:00Z",
                           "2030-01-01T08:00:00+08:00", "2029-12-31T16:30:00-07:30", "1893456000", "1893456000000"}) {
    EXPECT_EQ(Read(text), "2030-01-01T00:00:00Z") << text;
  }
  EXPECT_EQ(Read("2026-12-31T23:59:60Z"), "2027-01-01T00:00:00Z");
  EXPECT_EQ(Read("2030-01-01T00:00:00.5Z"), "2030-01-01T00:00:00.500000Z");
  EXPECT_EQ(Read("2030-01-01T00:00:00.1234567Z"), "2030-01-01T00:00:00.123456Z");
  EXPECT_EQ(Read("2028-02-29T00:00:00Z"), "2028-02-29T00:00:00Z");
  EXPECT_EQ(Read("9999-12-31T23:59:59Z"), "9999-12-31T23:59:59Z");
}

TEST(Expiry, ATimeWithoutAZoneNeedsAnOffset) {
  EXPECT_EQ(Read("2027-01-02 08:00:00"), "bad_expiry");
  EXPECT_EQ(Read("2027-01-02 08:00:00", std::chrono::minutes(0)), "2027-01-02T08:00:00Z");
  EXPECT_EQ(Read("2027-01-02 08:00:00", std::chrono::hours(8)), "2027-01-02T00:00:00Z");
  EXPECT_EQ(Read("2027-01-02T08:00:00Z", std::chrono::hours(8)), "2027-01-02T08:00:00Z");
}

TEST(Expiry, WhatIsNoTimeIsRefused) {
  for (const char* text : {"",
                           "0",
                           "-1",
                           "999999999",
                           "1.89346E+09",
                           "1893456000.5",
                           "99999999999999999999",
                           "253402300800",
                           "2030-13-01T00:00:00Z",
                           "2027-02-29T00:00:00Z",
                           "2027-02-30T00:00:00Z",
                           "0000-00-00 00:00:00",
                           "2030-01-01",
                           "2030-01-01T24:00:00Z",
                           "2030-01-01T00:60:00Z",
                           "2030-01-01T00:00:61Z",
                           "2030-01-01T00:00:00+24:00",
                           "2030-01-01T00:00:00+0800",
                           "2030-01-01T00:00:00.Z",
                           "2030-01-01T00:00:00Zx",
                           "1/2/2030 8:00",
                           "yesterday",
                           "1969-12-31T23:59:59Z"}) {
    EXPECT_EQ(Read(text), "bad_expiry") << text;
  }
}

TEST(Expiry, ATimeToLiveCountsFromNow) {
  const ExpiryRules rules{kNow, std::nullopt};

  EXPECT_EQ(FormatExpiry(std::get<LogTime>(ParseTimeToLive("600", rules))), "2026-09-01T00:10:00Z");
  EXPECT_EQ(*Refused(ParseTimeToLive("0", rules)), RejectionReason::kExpired);
  EXPECT_EQ(*Refused(ParseTimeToLive("-1", rules)), RejectionReason::kBadExpiry);
  EXPECT_EQ(*Refused(ParseTimeToLive("1893456000000", rules)), RejectionReason::kBadExpiry);
}

}  // namespace
}  // namespace holdfast::importer
