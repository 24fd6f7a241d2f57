// UTF-16, as some editors save a list, turned into UTF-8 on the way.
//
// Promises: what is no UTF-16 (half a surrogate pair, an odd last byte) becomes a byte that no UTF-8 text holds, so
// that the line it stands in is refused and no other.

#pragma once

#include <cstdint>
#include <memory>

#include "tools/import/byte_source.h"

namespace holdfast::importer {

enum class Utf16Order : std::uint8_t { kLittleEndian, kBigEndian };

// inner stands behind the byte order mark and outlives it.
std::unique_ptr<ByteSource> MakeUtf16Source(ByteSource* inner, Utf16Order order);

}  // namespace holdfast::importer
