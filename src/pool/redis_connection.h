// One connection to one Redis, over TCP or a unix socket: commands out, replies in, every wait bounded.
//
// Called by RedisLink, on the store's thread. Thread: one. Promises: no call waits beyond its deadline, but for a name
// that the system resolves; replies come in the order of the commands; what failed after the first byte was sent is in
// doubt and says so. After any status that is not OK the connection is of no more use. Does not reconnect or retry.

#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pool/deadline.h"
#include "pool/redis_reply.h"
#include "pool/redis_settings.h"

struct redisContext;

namespace holdfast::pool {

using RedisCommand = std::vector<std::string>;

class RedisConnection {
 public:
  static absl::StatusOr<std::unique_ptr<RedisConnection>> Open(const RedisAddress& address, const Deadline& deadline);
  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  // Sends all, then reads a reply for each: one round trip. Errors of Redis are replies.
  absl::StatusOr<std::vector<RedisReply>> Run(std::span<const RedisCommand> commands, const Deadline& deadline);

  // The other end has hung up, or said what nobody asked for.
  bool IsStale() const;

  const std::string& where() const { return where_; }

 private:
  RedisConnection(redisContext* context, std::string where);

  absl::Status Send(std::string_view bytes, const Deadline& deadline);
  absl::StatusOr<RedisReply> Read(const Deadline& deadline);

  redisContext* const context_;
  const std::string where_;
};

}  // namespace holdfast::pool
