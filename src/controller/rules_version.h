// The version of the rules that this program decides by; which is why it stands in the log is said in decide.h.
//
// Apart from the rules: a header that everything includes costs everything when it changes.

#pragma once

#include <cstdint>

namespace holdfast {

inline constexpr std::uint32_t kRulesVersion = 6;
// What older ones decided is folded, and not decided again (docs/decisions/0014).
inline constexpr std::uint32_t kOldestRulesVersion = 6;

}  // namespace holdfast
