#include "pool/redis_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

RedisSettings With(const std::string& address) {
  RedisSettings settings;
  settings.addresses = {*ParseRedisAddress(address)};
  return settings;
}

std::string Complaint(const RedisSettings& settings) { return std::string(Validate(settings).message()); }

TEST(RedisSettingsTest, AddressesAreReadAndWrittenTheSame) {
  for (const char* text : {"unix:/run/redis.sock", "127.0.0.1:6379", "[::1]:6379", "redis.example:1"}) {
    const auto address = ParseRedisAddress(text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(ToText(*address), text);
  }
  for (const char* text : {"", "unix:", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", ":6379",
                           "::1:6379", "[::1]", "[127.0.0.1]:1", "[::1:6379", "a b:1"}) {
    EXPECT_EQ(TroubleOf(ParseRedisAddress(text).status()), Trouble::kWrongRequest) << text;
  }
}

TEST(RedisSettingsTest, PlaintextStaysOnThisMachineUnlessItIsAllowed) {
  for (const char* text : {"unix:/run/redis.sock", "127.0.0.1:6379", "127.8.8.8:1", "[::1]:6379", "localhost:6379"}) {
    EXPECT_TRUE(Validate(With(text)).ok()) << text;
  }
  for (const char* text : {"198.18.0.1:6379", "[2001:db8::1]:6379", "redis.example:6379", "0.0.0.0:6379"}) {
    EXPECT_THAT(Complaint(With(text)),
                AllOf(HasSubstr(text), HasSubstr("unix socket"), HasSubstr("stunnel"), HasSubstr("allow_plaintext")));
    RedisSettings allowed = With(text);
    allowed.allow_plaintext = true;
    EXPECT_TRUE(Validate(allowed).ok()) << text;
  }
  RedisSettings sentinels;
  sentinels.sentinels = {*ParseRedisAddress("198.18.0.1:26379")};
  sentinels.sentinel_master = "pool";
  EXPECT_THAT(Complaint(sentinels), HasSubstr("not encrypted"));
}

TEST(RedisSettingsTest, WhatDoesNotFitTogetherIsRefused) {
  const RedisSettings good = With("127.0.0.1:6379");
  RedisSettings settings;
  EXPECT_THAT(Complaint(settings), HasSubstr("give either its addresses or those of its sentinels"));
  settings = good;
  settings.sentinels = settings.addresses;
  settings.sentinel_master = "pool";
  EXPECT_THAT(Complaint(settings), HasSubstr("either"));
  settings = good;
  settings.sentinel_master = "pool";
  EXPECT_THAT(Complaint(settings), HasSubstr("both, or neither"));
  settings = good;
  settings.user = "holdfast";
  EXPECT_THAT(Complaint(settings), HasSubstr("without a password"));
  for (const char* prefix : {"", "a{b", "a}b", "a*", "a b"}) {
    settings = good;
    settings.key_prefix = prefix;
    EXPECT_THAT(Complaint(settings), HasSubstr("key_prefix")) << prefix;
  }
}

TEST(RedisSettingsTest, AreDescribedWithoutThePassword) {
  RedisSettings settings = With("127.0.0.1:6379");
  settings.password = Secret("hush");
  std::ostringstream printed;
  printed << settings.password << Describe(settings);

  EXPECT_THAT(printed.str(), AllOf(HasSubstr("127.0.0.1:6379"), HasSubstr("hidden"), Not(HasSubstr("hush"))));
}

}  // namespace
}  // namespace holdfast::pool
