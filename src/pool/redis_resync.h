// The steps of a resync of Redis: taken over, emptied by slices, written, finished.
//
// Owned by RedisStore. Thread: the store's. Promises: those of PoolStore. Each step carries the attempt and a number of
// its own that only grows, so one that arrives late, after a doubt, does nothing. Keys outside the prefix are never
// touched.

#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <span>
#include <string>

#include "pool/redis_codec.h"
#include "pool/redis_settings.h"
#include "pool/resync_phase.h"

namespace holdfast::pool {

class RedisResync {
 public:
  // All outlive it.
  RedisResync(RedisLink& link, const RedisKeys& keys, const RedisSettings& settings)
      : link_(link), keys_(keys), settings_(settings) {}

  absl::StatusOr<ResyncResult> Begin(const ResyncStart& start, const Deadline& deadline);
  absl::StatusOr<ClearProgress> ClearSome(const Deadline& deadline);
  absl::StatusOr<ResyncResult> WriteRows(std::span<const Write> rows, const Deadline& deadline);
  absl::StatusOr<ResyncResult> Finish(Sequence applied_seq, const Deadline& deadline);

 private:
  // A call of the next step: who writes, which attempt, which step.
  ScriptCall NextStep();
  // One that writes as many rows from the front as a call carries, and takes them away.
  ScriptCall NextRows(std::span<const Write>& rows);
  absl::StatusOr<ResyncResult> RunSteps(const RedisScript& script, std::span<const ScriptCall> calls,
                                        const Deadline& deadline);
  absl::StatusOr<std::vector<std::string>> NextKeys(const Deadline& deadline);

  RedisLink& link_;
  const RedisKeys& keys_;
  const RedisSettings& settings_;
  ResyncPhase phase_;
  ResyncStart start_;
  std::string attempt_;
  std::uint64_t step_ = 0;
  std::uint64_t done_step_ = 0;          // the last that is known to have been done
  std::string cursor_;                   // of the walk over what is to be cleared
  std::uint64_t cursor_generation_ = 0;  // of the connection that gave it
};

}  // namespace holdfast::pool
