// How far a verification came, and what it could look at: what the summary says.
//
// Thread: the verifier's owner.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/log_time.h"

namespace holdfast::replay {

// Why an entry was folded, but not decided again.
enum class FoldedOnlyReason : std::uint8_t {
  kBeforeStart,   // the caller asked to begin later
  kBodyDropped,   // retention has taken the input's body
  kRulesUnknown,  // decided by rules that this program does not have
};

// "before --from", "body dropped", "rules unknown".
std::string_view FoldedOnlyWord(FoldedOnlyReason reason);

struct FoldedOnlyRange {
  Sequence first, last;
  FoldedOnlyReason reason{};
};

struct VerifyTally {
  std::uint64_t blocks = 0;
  std::uint64_t entries = 0;
  std::uint64_t decided = 0;                 // again, and found equal
  std::uint64_t digests = 0;                 // of the state, compared
  std::uint64_t digests_of_others = 0;       // taken of another version of the projections: not comparable
  std::uint64_t ownership_periods = 0;       // rows, compared
  std::vector<FoldedOnlyRange> folded_only;  // ascending, one reason each
  Sequence last;                             // checked
  LogTime last_at;

  void NoteFoldedOnly(Sequence sequence, FoldedOnlyReason reason);
};

}  // namespace holdfast::replay
