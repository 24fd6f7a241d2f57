// Finds the Redis to write to: the first of the addresses that is a master and lets us in, or the one that a sentinel
// names.
//
// Called by RedisLink for each new connection. Thread: the store's. Promises: what it gives is authenticated, has the
// database selected, and said that it is a master; one address that hangs does not keep a later try from the next. Does
// not wait between tries.

#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <vector>

#include "pool/redis_connection.h"

namespace holdfast::pool {

class RedisFinder {
 public:
  // Requires: valid settings, which outlive it.
  explicit RedisFinder(const RedisSettings& settings) : settings_(settings) {}

  absl::StatusOr<std::unique_ptr<RedisConnection>> FindMaster(const Deadline& deadline);

 private:
  using Opened = absl::StatusOr<std::unique_ptr<RedisConnection>>;

  Opened OpenMaster(const RedisAddress& address, const Deadline& deadline) const;
  Opened AskSentinel(const RedisAddress& sentinel, const Deadline& deadline) const;

  const RedisSettings& settings_;
  std::size_t first_ = 0;  // where the next try begins
};

}  // namespace holdfast::pool
