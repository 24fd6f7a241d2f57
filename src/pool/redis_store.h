// The pool store in Redis 7: every write is one call of a script there, which decides alone whether it is its turn.
// docs/pool_store.md: keys, scripts, settings, what an operator has to set.
//
// Life cycle: made away from Redis; each call connects where it must and may (redis_link.h). Thread: one. Promises:
// those of PoolStore. The same call again is safe after any trouble: what was done already is answered as done. Holds
// nothing of the store that it could not read again. Does not look after Redis' durability (appendfsync) or its
// replicas: a Redis that lost what it had answered shows it in its position.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "pool/pool_store.h"
#include "pool/redis_resync.h"

namespace holdfast::pool {

class RedisStore final : public PoolStore {
 public:
  // WrongRequest: settings that Validate refuses. The clock outlives the store; `jitter`: any 64-bit numbers.
  static absl::StatusOr<std::unique_ptr<RedisStore>> Make(RedisSettings settings, const BootClock& clock,
                                                          RedisBackoff::Generator jitter);

  absl::StatusOr<Position> ReadPosition(Duration patience) override;
  absl::StatusOr<ApplyResult> Apply(std::span<const Batch> batches, Duration patience) override;
  absl::StatusOr<ExtractResult> Extract(const ExtractRequest& request, Duration patience) override;
  absl::StatusOr<ExtractResult> Cancel(const CancelRequest& request, Duration patience) override;
  absl::StatusOr<RunResult> Run(std::span<const Call> calls, Duration patience) override;
  absl::StatusOr<ResyncResult> BeginResync(const ResyncStart& start, Duration patience) override;
  absl::StatusOr<ClearProgress> ClearSome(Duration patience) override;
  absl::StatusOr<ResyncResult> WriteResync(std::span<const Write> rows, Duration patience) override;
  absl::StatusOr<ResyncResult> FinishResync(Sequence applied_seq, Duration patience) override;
  absl::StatusOr<ScanSlice> Scan(const ScanRequest& request, Duration patience) override;

 private:
  RedisStore(RedisSettings settings, const BootClock& clock, RedisBackoff::Generator jitter);

  // What was settled and may not be forgotten yet, as Redis has it: read once a connection.
  absl::Status LoadSettling(const Deadline& deadline);
  ScriptCall Encode(const Batch& batch);
  ScriptCall Encode(const ExtractRequest& request);
  ScriptCall Encode(const CancelRequest& request);
  // The settled extractions of a batch, and others whose record it may remove.
  void EncodeSettled(const Batch& batch, ScriptCall& call);
  // Adds the answers of a window; whether the next window may go.
  absl::StatusOr<bool> Count(std::span<const Call> calls, std::span<const ScriptCall> scripts,
                             std::span<const RedisReply> replies, RunResult& result);
  // After a batch was written: its call removed the records that it names and that were due.
  void Forget(const Batch& batch, const ScriptCall& call);
  absl::StatusOr<ExtractResult> RunOne(const Call& call, Duration patience);

  const RedisSettings settings_;
  const RedisKeys keys_;
  RedisLink link_;
  RedisResync resync_;
  // Extraction id to the entry that settled it. A batch names the keys of their records, so that the script may remove
  // those that are due; it looks for itself which are.
  std::map<std::string, Sequence> settling_;
  std::uint64_t settling_generation_ = 0;
};

}  // namespace holdfast::pool
