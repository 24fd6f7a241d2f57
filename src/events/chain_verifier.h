// Walks along the chain: each block must follow the one before, in sequence, in hash and in log_id, and be unchanged.
//
// Called by recovery and the replay tool for each block in order. Thread: one at a time. Promises: a missing, moved,
// foreign or changed block is named by its sequence; what was checked before stays checked. Does not: read the log, or
// know whether blocks were cut off its end.

#pragma once

#include <absl/status/status.h>

#include <array>
#include <cstdint>
#include <optional>

#include "events/block_view.h"

namespace holdfast {

// A place between two blocks, e.g. of a checkpoint.
struct ChainPoint {
  std::array<std::uint8_t, 16> log_id{};
  Sequence last;   // of the block before
  Hash256 hash{};  // of that block
};

class ChainVerifier {
 public:
  // From the beginning of a log: the first block must hold sequence 1.
  ChainVerifier() = default;
  // From a point that is known.
  explicit ChainVerifier(const ChainPoint& after) : point_(after) {}

  // DataLoss says what does not fit, where, and what to do; the point stays where it was.
  absl::Status Check(const BlockView& block);

  // After the last block that was checked; nullopt: none yet.
  const std::optional<ChainPoint>& point() const { return point_; }

 private:
  absl::Status CheckPlace(const BlockView& block) const;

  std::optional<ChainPoint> point_;
};

}  // namespace holdfast
