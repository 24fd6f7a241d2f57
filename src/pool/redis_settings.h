// Where Redis is, how to get in, and what is refused.
//
// Made from the configuration by the daemon. Thread: plain values and pure functions. Promises: a password is never
// part of a text that is made here.

#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/log_time.h"
#include "pool/pool_store.h"

namespace holdfast::pool {

// A text that does not print itself.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  bool empty() const { return text_.empty(); }
  const std::string& Reveal() const { return text_; }
  friend std::ostream& operator<<(std::ostream& out, const Secret& secret) {
    return out << (secret.empty() ? "(none)" : "(hidden)");
  }

 private:
  std::string text_;
};

struct RedisAddress {
  std::string unix_path{};  // empty: TCP
  std::string host{};       // an IPv6 address without brackets
  std::uint16_t port = 0;
  friend bool operator==(const RedisAddress&, const RedisAddress&) = default;
};

// `unix:PATH`, `HOST:PORT`, `[IPV6]:PORT`.
absl::StatusOr<RedisAddress> ParseRedisAddress(const std::string& text);
std::string ToText(const RedisAddress& address);

struct RedisSettings {
  std::vector<RedisAddress> addresses;  // tried in this order, the first master is taken
  std::vector<RedisAddress> sentinels;  // or these are asked where the master is
  std::string sentinel_master;          // by this name
  std::string sentinel_user;
  Secret sentinel_password;
  std::string user;  // empty: the default user
  Secret password;   // empty: none is sent
  std::uint32_t database = 0;
  std::string key_prefix = "holdfast";  // letters, digits, `_`, `-`, `.`, `:`; keys begin with it in braces
  bool allow_plaintext = false;         // also off loopback
  Duration connect_timeout = std::chrono::seconds(1);
  std::size_t owned_limit = kOwnedLimit;
};

// OK, or what is wrong and what to do.
absl::Status Validate(const RedisSettings& settings);
// Of one address: on this machine, or plaintext is allowed.
absl::Status CheckPlaintext(const RedisAddress& address, bool allow_plaintext);
// For people and logs.
std::string Describe(const RedisSettings& settings);

}  // namespace holdfast::pool
