#include "replay/verify_tally.h"

namespace holdfast::replay {

std::string_view FoldedOnlyWord(FoldedOnlyReason reason) {
  switch (reason) {
    case FoldedOnlyReason::kBeforeStart:
      return "before --from";
    case FoldedOnlyReason::kBodyDropped:
      return "body dropped";
    case FoldedOnlyReason::kRulesUnknown:
      return "rules unknown";
  }
  return "unknown";
}

void VerifyTally::NoteFoldedOnly(Sequence sequence, FoldedOnlyReason reason) {
  if (!folded_only.empty() && folded_only.back().reason == reason && Next(folded_only.back().last) == sequence) {
    folded_only.back().last = sequence;
    return;
  }
  folded_only.push_back({sequence, sequence, reason});
}

}  // namespace holdfast::replay
