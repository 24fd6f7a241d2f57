// Integers to and from little-endian bytes: what is stored and hashed is the same on every machine.
//
// Thread: pure functions. Does not: check bounds; the caller has.

#pragma once

#include <bit>
#include <concepts>
#include <cstring>
#include <string>

namespace holdfast {

static_assert(std::endian::native == std::endian::little, "the stored format is written by copying; port this header");

// Writes sizeof(value) bytes at `out`.
template <std::integral Integer>
void StoreLittleEndian(Integer value, char* out) {
  std::memcpy(out, &value, sizeof value);
}

// Reads sizeof(Integer) bytes at `in`.
template <std::integral Integer>
Integer LoadLittleEndian(const char* in) {
  Integer value;
  std::memcpy(&value, in, sizeof value);
  return value;
}

template <std::integral Integer>
void AppendLittleEndian(Integer value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace holdfast
