#include "replay/finding.h"

namespace holdfast::replay {

std::string_view FindingWord(FindingKind kind) {
  switch (kind) {
    case FindingKind::kDamage:
      return "damage";
    case FindingKind::kUnreadable:
      return "unreadable";
    case FindingKind::kDecision:
      return "decision";
    case FindingKind::kInvariant:
      return "invariant";
    case FindingKind::kStateDigest:
      return "state_digest";
    case FindingKind::kOwnershipPeriod:
      return "ownership_period";
  }
  return "unknown";
}

}  // namespace holdfast::replay
