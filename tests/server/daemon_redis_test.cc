// The real holdfastd on a real Redis: its store, its clock, and a password that stands in a file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/pool/redis_server.h"
#include "tests/server/daemon_process.h"
#include "tests/server/wait_until.h"

namespace holdfast::server {
namespace {

using holdfast::pool::testing::RedisServer;
using holdfast::testing::TemporaryDirectory;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The rights that docs/pool_store.md says are enough.
pool::RedisCommand UserWithItsRights() {
  return {"ACL",    "SETUSER",  "holdfast", "on",       ">hunter2", "~{holdfast}*", "-@all",  "+auth",
          "+role",  "+select",  "+eval",    "+evalsha", "+hset",    "+hget",        "+hmget", "+hgetall",
          "+hdel",  "+hincrby", "+zadd",    "+zrem",    "+zscore",  "+zscan",       "+sadd",  "+srem",
          "+scard", "+sscan",   "+del",     "+unlink",  "+pexpire", "+pttl",        "+scan",  "+time"};
}

std::vector<std::string> On(const RedisServer& redis, const TemporaryDirectory& directory) {
  const std::string password = directory.File("password");
  std::ofstream(password) << "hunter2\n";
  EXPECT_EQ(chmod(password.c_str(), 0600), 0);
  std::vector<std::string> arguments = {"--data-dir",  directory.File("log"),  "--listen",   "127.0.0.1:0",
                                        "--port-file", directory.File("port"), "--bootstrap"};
  for (const std::string& setting :
       {std::string("pool.store=redis"), std::string("clock.source=redis"), std::string("pool.redis.user=holdfast"),
        "pool.redis.password_file=" + password, "pool.redis.addresses=" + ToText(redis.address())}) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  return arguments;
}

TEST(DaemonRedis, ItsStoreAndItsClockAreThoseOfTheConfiguration) {
  TemporaryDirectory directory;
  RedisServer redis;
  ASSERT_EQ(redis.Ask(UserWithItsRights()).text, "OK");

  DaemonProcess process(directory.path(), On(redis, directory));
  ASSERT_NE(process.WaitForLine(directory.File("port")), "") << process.Errors();
  WaitUntil([&] { return redis.Ask({"HGET", "{holdfast}meta", "applied_seq"}).is_text(); });

  EXPECT_THAT(redis.Ask({"INFO", "commandstats"}).text, HasSubstr("cmdstat_time:"));
  process.Signal(SIGTERM);
  EXPECT_EQ(process.Wait(), 0) << process.Errors();
  EXPECT_THAT(process.Errors(), Not(HasSubstr("hunter2")));
}

TEST(DaemonRedis, APasswordThatEverybodyMayReadStopsTheStart) {
  TemporaryDirectory directory;
  RedisServer redis;
  const std::vector<std::string> arguments = On(redis, directory);
  EXPECT_EQ(chmod(directory.File("password").c_str(), 0644), 0);

  DaemonProcess process(directory.path(), arguments);

  EXPECT_EQ(process.Wait(), 2);
  EXPECT_THAT(process.Errors(), AllOf(HasSubstr("pool.redis.password_file"), HasSubstr("chmod o=")));
}

}  // namespace
}  // namespace holdfast::server
