// Digest of a projection: the sum of the XXH3-128 hashes of its rows, so that a change costs its own size and the order
// of the rows does not matter. Finds errors; it does not stop forgers (that is what the chain hash is for).
//
// Thread: plain values.

#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace holdfast {

// 128 bits, added and subtracted modulo 2^128.
class Digest {
 public:
  constexpr Digest() = default;
  constexpr Digest(std::uint64_t low, std::uint64_t high) : sum_((static_cast<Wide>(high) << 64) | low) {}

  void Add(Digest row) { sum_ += row.sum_; }
  void Remove(Digest row) { sum_ -= row.sum_; }

  // Little-endian bytes, as stored.
  std::array<std::uint8_t, 16> Bytes() const;
  friend bool operator==(const Digest&, const Digest&) = default;

 private:
  __extension__ using Wide = unsigned __int128;
  Wide sum_ = 0;
};

// Collects one row's fields in a canonical form and hashes it. Numbers as 8 bytes little-endian, text with its length.
class RowHasher {
 public:
  explicit RowHasher(std::uint64_t kind) { Number(kind); }

  RowHasher& Number(std::uint64_t value) {
    if (used_ + sizeof value > sizeof buffer_) Spill();
    std::memcpy(buffer_ + used_, &value, sizeof value);
    used_ += sizeof value;
    return *this;
  }
  RowHasher& Text(std::string_view text);
  Digest Finish();

 private:
  void Spill();

  char buffer_[256];
  std::size_t used_ = 0;
  std::string spilled_;
};

}  // namespace holdfast
