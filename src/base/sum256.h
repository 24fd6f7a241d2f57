// A sum of hashes as 256-bit little-endian integers modulo 2^256: a row added or removed costs one row, whatever the
// order. Finds errors; it does not stop forgers.
//
// Thread: a plain value. Promises: Add and Remove undo each other.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/hash256.h"
#include "base/little_endian.h"

namespace holdfast {

class Sum256 {
 public:
  void Add(const Hash256& hash) {
    bool carry = false;
    for (std::size_t limb = 0; limb < limbs_.size(); ++limb) {
      std::uint64_t sum = 0;
      const bool over = __builtin_add_overflow(limbs_[limb], Limb(hash, limb), &sum);
      carry = __builtin_add_overflow(sum, std::uint64_t{carry}, &limbs_[limb]) || over;
    }
  }
  void Remove(const Hash256& hash) {
    bool borrow = false;
    for (std::size_t limb = 0; limb < limbs_.size(); ++limb) {
      std::uint64_t rest = 0;
      const bool under = __builtin_sub_overflow(limbs_[limb], Limb(hash, limb), &rest);
      borrow = __builtin_sub_overflow(rest, std::uint64_t{borrow}, &limbs_[limb]) || under;
    }
  }

  // 32 bytes, least significant first.
  Hash256 Bytes() const {
    Hash256 bytes;
    for (std::size_t limb = 0; limb < limbs_.size(); ++limb) {
      StoreLittleEndian(limbs_[limb], reinterpret_cast<char*>(bytes.data()) + 8 * limb);
    }
    return bytes;
  }
  friend bool operator==(const Sum256&, const Sum256&) = default;

 private:
  static std::uint64_t Limb(const Hash256& hash, std::size_t limb) {
    return LoadLittleEndian<std::uint64_t>(reinterpret_cast<const char*>(hash.data()) + 8 * limb);
  }

  std::array<std::uint64_t, 4> limbs_{};
};

}  // namespace holdfast
