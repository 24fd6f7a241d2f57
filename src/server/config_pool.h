// The part of the configuration that says where the pool store is, and how to get in.
//
// Thread: a plain value. A password is never in it: only the path of the file that holds it.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/log_time.h"

namespace holdfast::server {

struct RedisConfig {
  std::vector<std::string> addresses;
  std::vector<std::string> sentinels;
  std::string sentinel_master;
  std::string sentinel_user;
  std::string sentinel_password_file;
  std::string user;
  std::string password_file;
  std::uint64_t database = 0;
  std::string key_prefix = "holdfast";
  bool allow_plaintext = false;
  Duration connect_timeout = std::chrono::seconds(1);

  friend bool operator==(const RedisConfig&, const RedisConfig&) = default;
};

struct PoolConfig {
  std::string store = "embedded";
  RedisConfig redis;

  friend bool operator==(const PoolConfig&, const PoolConfig&) = default;

  // As Config::Describe.
  template <class Self, class Visitor>
  static void Describe(Self& self, Visitor&& visit) {
    constexpr std::size_t kMostPlaces = 16;
    auto& redis = self.redis;
    visit.choice("pool.store", self.store, {"embedded", "redis"});
    visit.texts("pool.redis.addresses", redis.addresses, kMostPlaces);
    visit.texts("pool.redis.sentinels", redis.sentinels, kMostPlaces);
    visit.text_or_none("pool.redis.sentinel_master", redis.sentinel_master);
    visit.text_or_none("pool.redis.sentinel_user", redis.sentinel_user);
    visit.text_or_none("pool.redis.sentinel_password_file", redis.sentinel_password_file);
    visit.text_or_none("pool.redis.user", redis.user);
    visit.text_or_none("pool.redis.password_file", redis.password_file);
    visit.count("pool.redis.database", redis.database, 0, 1'000'000);
    visit.text("pool.redis.key_prefix", redis.key_prefix);
    visit.flag("pool.redis.allow_plaintext", redis.allow_plaintext);
    visit.duration("pool.redis.connect_timeout", redis.connect_timeout, std::chrono::milliseconds(1),
                   std::chrono::minutes(1));
  }
};

}  // namespace holdfast::server
