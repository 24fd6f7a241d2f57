// CRC-32C (Castagnoli), by the processor's instruction where it has one.
//
// Thread: a pure function. Called by the check of the store's own log before it is opened.

#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast {

// Of `bytes`, continuing `crc` (0 at the beginning).
std::uint32_t Crc32c(std::string_view bytes, std::uint32_t crc = 0);

// The same without the instruction, for machines that lack it; named so that it can be tested where they do not.
std::uint32_t Crc32cPortable(std::string_view bytes, std::uint32_t crc = 0);

}  // namespace holdfast
