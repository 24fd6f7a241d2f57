// Outcomes: how far each worker's batches are accepted, and how many were counted. Evidence for the reducer that a
// later version brings; nothing here changes a proxy.
//
// Thread: the state's owner.

#pragma once

#include <cstdint>

#include "events/session_events.h"
#include "events/snapshot_events.h"
#include "projections/projection.h"
#include "projections/row_table.h"

namespace holdfast {

struct OutcomeRow {
  std::uint64_t sequence = 0;  // highest accepted, over all sessions of the worker
  std::uint64_t counted = 0;
  std::uint64_t ignored = 0;
  std::uint64_t dropped_total = 0;  // what its latest session says that it dropped
};

class Outcomes {
 public:
  static constexpr std::uint32_t kVersion = 1;

  void Apply(const SessionOpened& event, const EntryPoint& entry);
  void Apply(const OutcomesAccepted& event, const EntryPoint& entry);

  const OutcomeRow& At(WorkerKey worker) const { return workers_.At(worker); }
  Digest digest() const { return digest_; }

 private:
  RowTable<WorkerKey, OutcomeRow> workers_;
  Digest digest_;
};

}  // namespace holdfast
