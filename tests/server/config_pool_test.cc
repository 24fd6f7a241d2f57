// The pool store in the configuration: lists, what fits together, secrets in files, and the store that is made.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "pool/trouble.h"
#include "server/config_load.h"
#include "server/pool_store_factory.h"
#include "server/redis_config.h"
#include "server/secret_file.h"
#include "tests/events/temporary_directory.h"
#include "tests/server/config_cases.h"
#include "tests/server/manual_sources.h"

namespace holdfast::server {
namespace {

using holdfast::testing::TemporaryDirectory;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ConfigPool, ListsAreArraysInTheFileAndStandBetweenCommasAfterSet) {
  Config config;
  ASSERT_TRUE(
      LoadConfigText(R"({"pool": {"redis": {"addresses": ["unix:/run/r.sock", "[::1]:6379"]}}})", "f", config).ok());
  EXPECT_THAT(config.pool.redis.addresses, ElementsAre("unix:/run/r.sock", "[::1]:6379"));

  EXPECT_THAT(With({"pool.redis.addresses=[::1]:6379,127.0.0.1:6380"}).pool.redis.addresses,
              ElementsAre("[::1]:6379", "127.0.0.1:6380"));
  EXPECT_THAT(With({"pool.redis.addresses=a:1", "pool.redis.addresses="}).pool.redis.addresses, IsEmpty());
}

TEST(ConfigPool, WhatIsNoListOfTextsIsRefused) {
  for (const char* value : {"\"127.0.0.1:6379\"", "[6379]", "[\"\"]", "{}"}) {
    const std::string text = std::string(R"({"pool": {"redis": {"addresses": )") + value + "}}}";
    EXPECT_THAT(Refusal(text), AllOf(HasSubstr("pool.redis.addresses: "), HasSubstr("a list of at most 16 texts")));
  }
  EXPECT_THAT(Refusal(R"({"pool": {"redis": {"addresses": "redis://:hunter2@host"}}})"), Not(HasSubstr("hunter2")));
}

TEST(ConfigPool, APasswordIsNoSettingAndIsNotShown) {
  EXPECT_THAT(Refusal(R"({"pool": {"redis": {"password": "hunter2"}}})"),
              AllOf(HasSubstr("did you mean pool.redis.password_file?"), Not(HasSubstr("hunter2"))));
}

TEST(ConfigPool, WhereRedisIsUsedItsPlaceIsNamedOnce) {
  EXPECT_EQ(Unfit({}), "");
  EXPECT_EQ(Unfit({"pool.redis.user=nobody-asks"}), "");
  EXPECT_THAT(Unfit({"pool.store=redis"}), HasSubstr("pool.store is redis, and nothing says where that is"));
  EXPECT_THAT(Unfit({"clock.source=redis"}), HasSubstr("clock.source is redis, and nothing says where that is"));
  EXPECT_EQ(Unfit({"pool.store=redis", "pool.redis.addresses=127.0.0.1:6379"}), "");
  EXPECT_THAT(Unfit({"pool.store=redis", "pool.redis.addresses=127.0.0.1:6379", "pool.redis.sentinels=127.0.0.1:26379",
                     "pool.redis.sentinel_master=m"}),
              HasSubstr("both its addresses and sentinels"));
  EXPECT_THAT(Unfit({"pool.store=redis", "pool.redis.sentinels=127.0.0.1:26379"}),
              HasSubstr("pool.redis.sentinel_master go together"));
  EXPECT_EQ(Unfit({"pool.store=redis", "pool.redis.sentinels=127.0.0.1:26379", "pool.redis.sentinel_master=m"}), "");
}

TEST(ConfigPool, WhatDoesNotFitIsNamedByItsSetting) {
  EXPECT_THAT(Unfit({"pool.store=redis", "pool.redis.addresses=127.0.0.1:6379,nowhere"}),
              AllOf(HasSubstr("pool.redis.addresses[1]"), HasSubstr("HOST:PORT")));
  EXPECT_THAT(Unfit({"pool.store=redis", "pool.redis.addresses=127.0.0.1:6379", "pool.redis.user=holdfast"}),
              HasSubstr("pool.redis.user is given without pool.redis.password_file"));
  EXPECT_THAT(Unfit({"pool.store=redis", "pool.redis.addresses=127.0.0.1:6379", "pool.redis.key_prefix=no spaces"}),
              HasSubstr("key_prefix"));
  EXPECT_EQ(Unfit({"pool.store=redis", "pool.redis.addresses=127.0.0.1:6379", "pool.redis.user=holdfast",
                   "pool.redis.password_file=not/read/here"}),
            "");
}

TEST(ConfigPool, PlaintextOffTheMachineIsRefusedWithWhatToDo) {
  EXPECT_THAT(Unfit({"pool.store=redis", "pool.redis.addresses=redis.example:6379"}),
              AllOf(HasSubstr("pool.redis.addresses[0]"), HasSubstr("stunnel"), HasSubstr("allow_plaintext")));
  EXPECT_EQ(Unfit({"pool.store=redis", "pool.redis.addresses=redis.example:6379", "pool.redis.allow_plaintext=true"}),
            "");
}

TEST(ConfigPool, AnAddressWithAPasswordIsRefusedAndNotShown) {
  const std::string refusal = Unfit({"pool.store=redis", "pool.redis.addresses=holdfast:hunter2@127.0.0.1:6379"});

  EXPECT_THAT(refusal, AllOf(HasSubstr("pool.redis.addresses[0]"), HasSubstr("password_file")));
  EXPECT_THAT(refusal, Not(HasSubstr("hunter2")));
}

// A file of the test's, with this mode.
std::string Write(const TemporaryDirectory& directory, const std::string& content, mode_t mode) {
  const std::string path = directory.File("password");
  std::ofstream(path, std::ios::trunc) << content;
  EXPECT_EQ(chmod(path.c_str(), mode), 0);
  return path;
}

TEST(SecretFile, ALineIsTheSecret) {
  TemporaryDirectory directory;
  for (const char* content : {"hunter2", "hunter2\n", "hunter2\r\n"}) {
    const auto secret = ReadSecretFile(Write(directory, content, 0640), "pool.redis.password_file");
    ASSERT_TRUE(secret.ok()) << secret.status();
    EXPECT_EQ(secret->Reveal(), "hunter2");
  }
}

TEST(SecretFile, OneThatEverybodyMayReadIsRefused) {
  TemporaryDirectory directory;
  for (const mode_t mode : {0644, 0602}) {
    const auto secret = ReadSecretFile(Write(directory, "hunter2", mode), "pool.redis.password_file");
    EXPECT_TRUE(absl::IsFailedPrecondition(secret.status())) << secret.status();
    EXPECT_THAT(std::string(secret.status().message()), AllOf(HasSubstr("pool.redis.password_file: the file "),
                                                              HasSubstr("chmod o="), Not(HasSubstr("hunter2"))));
  }
}

TEST(SecretFile, WhatHoldsNoPasswordIsRefused) {
  TemporaryDirectory directory;
  EXPECT_TRUE(absl::IsNotFound(ReadSecretFile(directory.File("none"), "s").status()));
  EXPECT_FALSE(ReadSecretFile(directory.path(), "s").ok());
  for (const std::string& content : {std::string(), std::string("\n"), std::string("hunter2\nmore"),
                                     std::string("hunter2\0", 8), std::string(5'000, 'h')}) {
    const auto secret = ReadSecretFile(Write(directory, content, 0600), "s");
    EXPECT_THAT(std::string(secret.status().message()), AllOf(HasSubstr("one line"), Not(HasSubstr("hunter2"))));
  }
}

TEST(PoolStoreFactory, TheStoreOfTheConfigurationIsMade) {
  ManualClocks clocks;
  CountingRandom random;
  Config config;

  const auto embedded = MakePoolStore(config.pool, clocks.boot(), random);
  ASSERT_TRUE(embedded.ok()) << embedded.status();
  EXPECT_TRUE((*embedded)->ReadPosition(Duration(0)).ok());

  // Nobody is there: that is told by the first call, not by the start.
  TemporaryDirectory directory;
  config = With({"pool.store=redis", "pool.redis.user=holdfast"});
  config.pool.redis.addresses = {"unix:" + directory.File("none.sock")};
  config.pool.redis.password_file = Write(directory, "hunter2\n", 0600);
  const auto redis = MakePoolStore(config.pool, clocks.boot(), random);
  ASSERT_TRUE(redis.ok()) << redis.status();
  EXPECT_EQ(pool::TroubleOf((*redis)->ReadPosition(std::chrono::seconds(1)).status()), pool::Trouble::kUnreachable);
}

TEST(PoolStoreFactory, AnUnfitPlaceOrAnOpenPasswordMakesNoStore) {
  ManualClocks clocks;
  CountingRandom random;
  TemporaryDirectory directory;
  Config config = With({"pool.store=redis", "pool.redis.addresses=redis.example:6379"});

  EXPECT_THAT(std::string(MakePoolStore(config.pool, clocks.boot(), random).status().message()), HasSubstr("stunnel"));
  config.pool.redis.addresses = {"127.0.0.1:6379"};
  config.pool.redis.password_file = Write(directory, "hunter2", 0644);
  EXPECT_THAT(std::string(MakePoolStore(config.pool, clocks.boot(), random).status().message()),
              HasSubstr("pool.redis.password_file"));
}

TEST(ConfigPool, WhatIsPrintedReadsBackAndShowsThePathAlone) {
  TemporaryDirectory directory;
  Config config = With({"pool.store=redis", "pool.redis.addresses=127.0.0.1:6379,[::1]:6379", "clock.source=redis"});
  config.pool.redis.password_file = Write(directory, "hunter2", 0600);
  Config read;

  ASSERT_TRUE(LoadConfigText(ConfigJson(config), "printed", read).ok());

  EXPECT_EQ(read, config);
  EXPECT_THAT(ConfigJson(config), AllOf(HasSubstr(config.pool.redis.password_file), Not(HasSubstr("hunter2"))));
}

}  // namespace
}  // namespace holdfast::server
