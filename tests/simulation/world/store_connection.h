// One controller process's end of the wire to the pool store: every call takes simulated time, and may be lost, done
// though nobody hears of it, done late, or done twice.
//
//   call ─► on its way ─► the store does it ─► its answer on its way ─► heard
//             └─ lost        └─ … and again, up to minutes later └─ lost: timed out, or cut off
//
// Called by the projector on its fiber, which stands still until the call ends. Thread: one. Promises: patience is
// kept; once the process is gone every call ends at once. An embedded store answers without any of that.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pool/resync_phase.h"
#include "pool/trouble.h"
#include "tests/simulation/world/store_server.h"

namespace holdfast::simulation {

class StoreConnection final : public pool::PoolStore {
 public:
  // wait: stands still until then; false: the process is gone.
  using Wait = std::function<bool(Micros)>;
  StoreConnection(World& world, StoreServer& server, Wait wait)
      : world_(world), server_(server), wait_(std::move(wait)) {}

  absl::StatusOr<pool::Position> ReadPosition(Duration patience) override;
  absl::StatusOr<pool::ApplyResult> Apply(std::span<const pool::Batch> batches, Duration patience) override;
  absl::StatusOr<pool::ExtractResult> Extract(const pool::ExtractRequest& request, Duration patience) override;
  absl::StatusOr<pool::ExtractResult> Cancel(const pool::CancelRequest& request, Duration patience) override;
  absl::StatusOr<pool::ResyncResult> BeginResync(const pool::ResyncStart& start, Duration patience) override;
  absl::StatusOr<pool::ClearProgress> ClearSome(Duration patience) override;
  absl::StatusOr<pool::ResyncResult> WriteResync(std::span<const pool::Write> rows, Duration patience) override;
  absl::StatusOr<pool::ResyncResult> FinishResync(Sequence applied_seq, Duration patience) override;
  // Not called by the projector.
  absl::StatusOr<pool::ScanSlice> Scan(const pool::ScanRequest&, Duration) override {
    return pool::WrongRequest("the simulated projector does not scan");
  }

 private:
  // What becomes of one call.
  struct Fate {
    Micros arrives = -1;  // after so long; below 0: never
    Micros again = -1;    // and once more
    Micros heard = -1;    // after so long its answer; below 0: never
    Micros over = 0;      // after so long the caller goes on, whatever became of it
    bool cut_off = false;
  };
  Fate DrawFate(Micros patience);
  template <class Result>
  absl::StatusOr<Result> Call(const std::function<absl::StatusOr<Result>()>& done, Duration patience);
  StoreServer::Step NextStep() { return {attempt_, ++step_, known_, server_.instance()}; }

  World& world_;
  StoreServer& server_;
  const Wait wait_;
  // Of the resync that was begun last.
  pool::ResyncPhase resync_;
  StoreServer::Owner owner_;
  std::uint64_t attempt_ = 0, step_ = 0, known_ = 0;
};

}  // namespace holdfast::simulation
