// A small generator of its own: one seed gives the same numbers on every machine, which the standard library's
// distributions do not promise. SplitMix64. Not for secrets. One thread each.

#pragma once

#include <cstdint>

namespace holdfast::fleet {

class Prng {
 public:
  explicit Prng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  // 0 .. bound - 1. Requires: bound > 0.
  std::uint64_t Below(std::uint64_t bound) { return Next() % bound; }
  // least .. most, both included.
  std::int64_t Between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(Below(static_cast<std::uint64_t>(most - least) + 1));
  }
  // True `parts` times in `whole`.
  bool Chance(std::uint64_t parts, std::uint64_t whole) { return Below(whole) < parts; }

 private:
  std::uint64_t state_;
};

}  // namespace holdfast::fleet
