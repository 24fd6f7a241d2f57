// From the configuration to what the pool library takes: where Redis is, and how to get in.
//
// Called when the configuration is checked, and at the start. Thread: any. Promises: what is wrong is told by the name
// of its setting; no text that is made here holds a password, also where somebody has put one into an address.

#pragma once

#include <absl/status/statusor.h>

#include <string_view>

#include "pool/redis_settings.h"
#include "server/config_pool.h"

namespace holdfast::server {

// InvalidArgument: what does not fit together. needed_by: the setting that asks for Redis. Reads no file.
absl::Status CheckRedisConfig(const RedisConfig& config, std::string_view needed_by);

// With the passwords, from their files (secret_file.h).
absl::StatusOr<pool::RedisSettings> ReadRedisSettings(const RedisConfig& config, std::string_view needed_by);

}  // namespace holdfast::server
