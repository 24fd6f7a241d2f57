// What every pool store is tried on: the embedded one, and Redis over a unix socket and over TCP.
//
// Thread: one. Promises: each test begins with an EMPTY store. One redis-server of each kind serves all tests of a
// process.

#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "pool/embedded_store.h"
#include "pool/redis_store.h"
#include "tests/pool/redis_server.h"
#include "tests/pool/sample_pool.h"
#include "tests/pool/test_clock.h"

namespace holdfast::pool::testing {

inline constexpr std::size_t kTestOwnedLimit = 5;

class Embedded {
 public:
  PoolStore& store() { return store_; }
  TestClock& clock() { return clock_; }

 private:
  TestClock clock_;
  EmbeddedStore store_{clock_, kTestOwnedLimit};
};

template <bool kTcp>
class Redis {
 public:
  Redis() {
    server().Ask({"FLUSHALL"});
    RedisSettings settings;
    settings.addresses = {server().address()};
    settings.owned_limit = kTestOwnedLimit;
    store_ = *RedisStore::Make(settings, clock_, [] { return 0; });
  }
  PoolStore& store() { return *store_; }
  TestClock& clock() { return clock_; }

  static RedisServer& server() {
    static RedisServer server({.tcp = kTcp});
    return server;
  }

 private:
  TestClock clock_;
  std::unique_ptr<RedisStore> store_;
};

using Stores = ::testing::Types<Embedded, Redis<false>, Redis<true>>;

template <class Fixture>
class Conformance : public ::testing::Test {
 protected:
  PoolStore& store() { return fixture_.store(); }
  Content Read() { return ReadAll(store()); }

  Fixture fixture_;
  Projector projector_{fixture_.store()};
};

}  // namespace holdfast::pool::testing
