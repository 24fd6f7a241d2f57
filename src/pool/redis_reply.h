// A reply of Redis as a plain value, and what an error among them means.
//
// Made by RedisConnection. Thread: plain values and pure functions.

#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <string>
#include <vector>

struct redisReply;

namespace holdfast::pool {

struct RedisReply {
  enum class Kind : std::uint8_t { kNil, kText, kInteger, kArray, kError };
  Kind kind = Kind::kNil;
  std::string text;  // kText, kError
  std::int64_t integer = 0;
  std::vector<RedisReply> elements;

  bool is_text() const { return kind == Kind::kText; }
  bool is_array() const { return kind == Kind::kArray; }
  bool is_error() const { return kind == Kind::kError; }
};

RedisReply FromHiredis(const redisReply& reply);

bool IsNoScript(const RedisReply& reply);

// What the error says of the call: not served here and now (Unreachable), not permitted (Denied), or WrongAnswer.
// Requires: reply.is_error(). `where` names the server.
absl::Status StatusOfError(const RedisReply& reply, const std::string& where);

}  // namespace holdfast::pool
