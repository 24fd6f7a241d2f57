// How many checks came to which end since the engine began. A plain value.

#pragma once

#include <array>
#include <cstdint>

#include "tools/checker/trouble.h"

namespace holdfast::checker {

struct CheckCounts {
  std::uint64_t passed = 0;
  std::uint64_t failed = 0;
  std::array<std::uint64_t, kTroubleNames.size()> inconclusive{};  // by Trouble
  std::uint64_t cancelled = 0;
  std::uint64_t running = 0;  // now
};

}  // namespace holdfast::checker
