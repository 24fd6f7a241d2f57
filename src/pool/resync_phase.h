// How far this object's resync is: first cleared, then written, then finished.
//
//   none ─ Begin ─► clearing ─ Cleared ─► cleared ─ Written ─► writing ─ End ─► none
//                        └──── Begin, from anywhere ◄──────────────┘
//
// Owned by a store. Thread: the store's. Does not know what the store at the other end says: a step of a resync that is
// over is refused there.

#pragma once

#include <absl/status/status.h>

#include <cstdint>

#include "pool/trouble.h"

namespace holdfast::pool {

class ResyncPhase {
 public:
  void Begin() { phase_ = Phase::kClearing; }
  void Cleared() { phase_ = Phase::kCleared; }
  void Written() { phase_ = Phase::kWriting; }
  void End() { phase_ = Phase::kNone; }

  absl::Status MayClear() const {
    if (phase_ == Phase::kClearing || phase_ == Phase::kCleared) return absl::OkStatus();
    return WrongMoment("Clearing is the first step of a resync: begin one");
  }
  absl::Status MayWrite() const {
    if (phase_ == Phase::kCleared || phase_ == Phase::kWriting) return absl::OkStatus();
    return WrongMoment("A resync is written and finished after it was begun and cleared");
  }

 private:
  enum class Phase : std::uint8_t { kNone, kClearing, kCleared, kWriting };
  Phase phase_ = Phase::kNone;
};

}  // namespace holdfast::pool
