#include "base/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace holdfast {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reversed

constexpr std::array<std::uint32_t, 256> MakeTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    table[byte] = value;
  }
  return table;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t Hardware(std::string_view bytes, std::uint32_t state) {
  std::uint64_t wide = state;
  while (bytes.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    wide = _mm_crc32_u64(wide, word);
    bytes.remove_prefix(sizeof word);
  }
  auto narrow = static_cast<std::uint32_t>(wide);
  for (const char byte : bytes) narrow = _mm_crc32_u8(narrow, static_cast<std::uint8_t>(byte));
  return narrow;
}
#endif

}  // namespace

std::uint32_t Crc32c(std::string_view bytes, std::uint32_t crc) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return ~Hardware(bytes, ~crc);
#endif
  return Crc32cPortable(bytes, crc);
}

std::uint32_t Crc32cPortable(std::string_view bytes, std::uint32_t crc) {
  static constexpr std::array<std::uint32_t, 256> kTable = MakeTable();
  std::uint32_t state = ~crc;
  for (const char byte : bytes) state = kTable[(state ^ static_cast<std::uint8_t>(byte)) & 255] ^ (state >> 8);
  return ~state;
}

}  // namespace holdfast
