// A redis-server of each test's own, and stores on it.
//
// Thread: one.

#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "pool/redis_store.h"
#include "tests/pool/redis_server.h"
#include "tests/pool/sample_pool.h"
#include "tests/pool/test_clock.h"

namespace holdfast::pool::testing {

class RedisFixture : public ::testing::Test {
 protected:
  static RedisSettings SettingsFor(const std::vector<RedisAddress>& addresses) {
    RedisSettings settings;
    settings.addresses = addresses;
    return settings;
  }
  std::unique_ptr<RedisStore> MakeStore(const RedisSettings& settings) {
    auto store = RedisStore::Make(settings, clock_, [] { return 0; });
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? *std::move(store) : nullptr;
  }
  std::unique_ptr<RedisStore> MakeStore(const RedisAddress& address) { return MakeStore(SettingsFor({address})); }

  TestClock clock_;
};

}  // namespace holdfast::pool::testing
