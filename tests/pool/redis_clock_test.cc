// What a real Redis says the time is: on the machine of the test, so it is that of the wall.

#include "pool/redis_clock.h"

#include <gtest/gtest.h>

#include "pool/trouble.h"
#include "tests/pool/redis_server.h"

namespace holdfast::pool::testing {
namespace {

using std::chrono::milliseconds;

class RedisClock : public ::testing::Test {
 protected:
  RedisClock() : boot_(*SystemBootClock()), wall_(SystemWallClock()) {}

  RedisSettings SettingsFor(const RedisServer& redis) const {
    RedisSettings settings;
    settings.addresses = {redis.address()};
    settings.connect_timeout = std::chrono::seconds(10);
    return settings;
  }
  std::unique_ptr<RedisClockSampler> MakeSampler(const RedisSettings& settings) {
    auto sampler = RedisClockSampler::Make(settings, *boot_);
    EXPECT_TRUE(sampler.ok()) << sampler.status();
    return sampler.ok() ? *std::move(sampler) : nullptr;
  }

  const std::unique_ptr<BootClock> boot_;
  const std::unique_ptr<WallClock> wall_;
};

TEST_F(RedisClock, WhatItSaysLiesBetweenTheQuestionAndTheAnswer) {
  RedisServer redis;
  const auto sampler = MakeSampler(SettingsFor(redis));
  const std::int64_t boot_before = boot_->Micros();
  const std::int64_t wall_before = wall_->Micros();

  const auto sample = sampler->Sample();

  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_GE(sample->before_micros, boot_before);
  EXPECT_GE(sample->after_micros, sample->before_micros);
  EXPECT_LE(sample->after_micros, boot_->Micros());
  EXPECT_GE(sample->told_micros, wall_before);
  EXPECT_LE(sample->told_micros, wall_->Micros());
}

TEST_F(RedisClock, ARedisThatIsAwayIsToldAndFoundAgain) {
  RedisServer redis({.durable = true});
  const auto sampler = MakeSampler(SettingsFor(redis));
  ASSERT_TRUE(sampler->Sample().ok());

  redis.Stop();
  EXPECT_EQ(TroubleOf(sampler->Sample().status()), Trouble::kUnreachable);
  redis.Start();

  EXPECT_TRUE(sampler->Sample().ok());
}

TEST_F(RedisClock, ARedisThatHangsIsWaitedForWithinBounds) {
  RedisServer redis;
  RedisSettings settings = SettingsFor(redis);
  const auto patient = MakeSampler(settings);
  ASSERT_TRUE(patient->Sample().ok());
  settings.connect_timeout = milliseconds(50);
  const auto sampler = MakeSampler(settings);

  redis.Pause();
  const absl::Status status = sampler->Sample().status();
  redis.Resume();

  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(patient->Sample().ok());
}

TEST_F(RedisClock, WhoMayNotAskIsDenied) {
  RedisServer redis;
  redis.Ask({"ACL", "SETUSER", "default", "-time"});

  EXPECT_EQ(TroubleOf(MakeSampler(SettingsFor(redis))->Sample().status()), Trouble::kDenied);
}

}  // namespace
}  // namespace holdfast::pool::testing
