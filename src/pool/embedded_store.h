// The pool store in the process, for a pool that nobody outside reads: the same answers as Redis gives, from memory.
//
// Life cycle: EMPTY when it is made, so each start begins with a resync, as after lost data. Thread: one. Promises:
// those of PoolStore; no call waits, and none is ever in doubt. Does not survive the process: its rows and its
// extractions' answers are the log's to rebuild.

#pragma once

#include <map>
#include <string>

#include "pool/embedded_rows.h"
#include "pool/pool_store.h"
#include "pool/resync_phase.h"

namespace holdfast::pool {

class EmbeddedStore final : public PoolStore {
 public:
  // The clock counts down sessions' ttl; it outlives the store.
  explicit EmbeddedStore(const BootClock& clock, std::size_t owned_limit = kOwnedLimit) : rows_(clock, owned_limit) {}

  absl::StatusOr<Position> ReadPosition(Duration) override { return position_; }
  absl::StatusOr<ApplyResult> Apply(std::span<const Batch> batches, Duration patience) override;
  absl::StatusOr<ExtractResult> Extract(const ExtractRequest& request, Duration patience) override;
  absl::StatusOr<ExtractResult> Cancel(const CancelRequest& request, Duration patience) override;
  absl::StatusOr<ResyncResult> BeginResync(const ResyncStart& start, Duration patience) override;
  absl::StatusOr<ClearProgress> ClearSome(Duration patience) override;
  absl::StatusOr<ResyncResult> WriteResync(std::span<const Write> rows, Duration patience) override;
  absl::StatusOr<ResyncResult> FinishResync(Sequence applied_seq, Duration patience) override;
  absl::StatusOr<ScanSlice> Scan(const ScanRequest& request, Duration patience) override;

 private:
  struct Answer {
    bool cancelled = false;
    std::vector<Candidate> moved;
  };

  // Whether this writer may write at all.
  Verdict Admit(const LogId& log_id, ControllerEpoch epoch) const;
  // Whether what `follows` is what has been applied.
  Verdict InTurn(Sequence follows) const;
  Verdict ApplyOne(const Batch& batch, RowCounts& counts);
  void Settle(const Batch& batch);
  // Moves applied_seq, and with it what is kept per turn.
  void Advance(ControllerEpoch epoch, Sequence applied);
  std::vector<Candidate> Move(const ExtractRequest& request);
  ExtractResult Tell(const Answer& answer) const;

  Position position_;
  EmbeddedRows rows_;
  ResyncPhase resync_;
  std::map<std::string, Answer, std::less<>> answers_;     // by extraction id
  std::map<std::string, Sequence, std::less<>> settling_;  // by extraction id: the entry that settled it
  Sequence parts_upto_;                                    // of the batch whose first parts are there; 0: none
  std::uint32_t parts_done_ = 0;
};

}  // namespace holdfast::pool
