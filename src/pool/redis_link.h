// The way to Redis: a connection that is made when it is needed, thrown away after any doubt, and made again not too
// often.
//
//   away ─ a call, and the time of the next try has come ─► found, set up ─► answering calls
//     ▲  └─ not yet: Unreachable at once                                        │
//     └── in doubt, hung up, no longer a master ◄────────────────────────────────┘
//
// Called by RedisStore and what belongs to it. Thread: the store's. Promises: a call is sent at most once, but for
// scripts that Redis said it does not have, which did nothing; a status says whether it was sent. Does not wait between
// tries.

#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/boot_clock.h"
#include "pool/redis_backoff.h"
#include "pool/redis_finder.h"
#include "pool/redis_scripts.h"

namespace holdfast::pool {

struct ScriptCall {
  std::vector<std::string> keys{};
  std::vector<std::string> arguments{};
  const RedisScript* script = nullptr;  // null: that of the calls around it
};

class RedisLink {
 public:
  // The settings and the clock outlive it.
  RedisLink(const RedisSettings& settings, const BootClock& clock, RedisBackoff::Generator jitter)
      : clock_(clock), finder_(settings), backoff_(std::move(jitter)) {}

  // Makes sure of a connection.
  absl::Status Connect(const Deadline& deadline);
  // Grows with each connection: what was read over an earlier one may not hold any more.
  std::uint64_t generation() const { return generation_; }

  // A reply for each, in one round trip; the first error among them is the status.
  absl::StatusOr<std::vector<RedisReply>> Run(std::span<const RedisCommand> commands, const Deadline& deadline);
  // The same for calls of a script, and of others that a call names. Each waits for the one before, by the order that
  // the scripts keep.
  absl::StatusOr<std::vector<RedisReply>> RunScript(const RedisScript& script, std::span<const ScriptCall> calls,
                                                    const Deadline& deadline);

  Deadline Until(Duration patience) const { return Deadline(clock_, patience); }
  const BootClock& clock() const { return clock_; }

 private:
  absl::StatusOr<std::vector<RedisReply>> Send(std::span<const RedisCommand> commands, const Deadline& deadline);
  absl::Status FirstError(std::span<const RedisReply> replies);
  void Drop();

  const BootClock& clock_;
  RedisFinder finder_;
  RedisBackoff backoff_;
  std::unique_ptr<RedisConnection> connection_;  // null: away
  bool has_answered_ = false;                    // this connection did, after it was set up
  std::uint64_t generation_ = 0;
  std::int64_t next_try_micros_ = 0;  // on the boot clock
  absl::Status last_failure_;         // of the last try to connect
};

}  // namespace holdfast::pool
