// Numbers from a seed, the same on every machine (SplitMix64).
//
// Thread: a plain value.

#pragma once

#include <cstdint>
#include <string>

namespace holdfast::testing {

class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Number() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
  }
  // 0 to limit - 1. Requires: limit > 0.
  std::uint64_t Below(std::uint64_t limit) { return Number() % limit; }
  std::string Bytes(std::size_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(Number());
    return bytes;
  }

 private:
  std::uint64_t state_;
};

}  // namespace holdfast::testing
