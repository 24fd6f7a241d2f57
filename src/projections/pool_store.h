// What is known of the pool store: whether it is this log's, and whether something can be extracted through it.
//
//   (not met) ─ judged ─► USABLE
//                 ├─────► BEHIND ─ written anew ─► USABLE
//                 └─────► FOREIGN, AHEAD ─ adopted ─► BEHIND
//
// A start forgets the verdict, but for the last two: they stand until an operator has spoken, or the store shows
// another. Thread: the state's owner. Covers nothing of what stands in the store.

#pragma once

#include <cstdint>
#include <string>

#include "events/extraction_events.h"
#include "events/run_events.h"
#include "projections/projection.h"

namespace holdfast {

class PoolStore {
 public:
  static constexpr std::uint32_t kVersion = 1;

  void Apply(const ControllerStarted& event, const EntryPoint& entry);
  void Apply(const PoolStoreJudged& event, const EntryPoint& entry);
  void Apply(const PoolResynced& event, const EntryPoint& entry);
  void Apply(const PoolAdopted& event, const EntryPoint& entry);

  // kUnspecified: not met in this run.
  PoolStoreVerdict verdict() const { return verdict_; }
  bool usable() const { return verdict_ == PoolStoreVerdict::kUsable; }
  // It holds what another log gave, or a part of this one that is lost: nothing is given before an operator has spoken.
  bool must_be_adopted() const {
    return verdict_ == PoolStoreVerdict::kForeign || verdict_ == PoolStoreVerdict::kAhead;
  }
  const std::string& log_id() const { return log_id_; }
  Sequence applied_sequence() const { return applied_sequence_; }

  Digest digest() const;

 private:
  PoolStoreVerdict verdict_{};
  std::string log_id_;  // as the store showed it
  Sequence applied_sequence_;
};

}  // namespace holdfast
