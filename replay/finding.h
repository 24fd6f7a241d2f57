// What a verification found wrong: where, what, and where two sides exist, both of them field by field.
//
// Thread: plain values.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "replay/field_difference.h"

namespace holdfast::replay {

enum class FindingKind : std::uint8_t {
  kDamage,           // bytes are not as they were written, or a block is missing
  kUnreadable,       // the hashes fit, but an input or an event is no such thing
  kDecision,         // the rules decide something else from this input
  kInvariant,        // what was decided breaks what must hold at every sequence
  kStateDigest,      // the state after this block is not the one that the log was written from
  kOwnershipPeriod,  // a row of ownership_periods is not what the events give
};

struct Finding {
  FindingKind kind{};
  Sequence first;  // the entry, or the first of the block
  Sequence last;   // the same entry, or the last of the block where that is known
  std::string text;
  std::vector<FieldDifference> differences;
};

// "damage", "unreadable", "decision", "invariant", "state_digest", "ownership_period".
std::string_view FindingWord(FindingKind kind);

}  // namespace holdfast::replay
