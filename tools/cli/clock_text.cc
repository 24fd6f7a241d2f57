#include "tools/cli/clock_text.h"

#include "tools/cli/time_text.h"

namespace holdfast::cli {

std::string ClockText(std::int64_t offset) {
  constexpr std::int64_t kVisible = 1000;
  if (offset > -kVisible && offset < kVisible) return "with the wall clock";
  return DurationText(offset < 0 ? -offset : offset) + (offset < 0 ? " behind" : " ahead of") + " the wall clock";
}

}  // namespace holdfast::cli
