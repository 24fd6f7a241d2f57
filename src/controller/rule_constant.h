// A number that a rule depends on. Each file of rules names at least one this way, so that a build of the tests can
// alter it
// (-DHOLDFAST_ALTER_RULES for that file alone) and show that `holdfast-replay verify` finds the difference.
//
// Thread: a compile-time constant.

#pragma once

namespace holdfast {

template <class T>
constexpr T RuleConstant([[maybe_unused]] T value, [[maybe_unused]] T altered) {
#ifdef HOLDFAST_ALTER_RULES
  return altered;
#else
  return value;
#endif
}

}  // namespace holdfast
