// Where the fields of a stored block stand (format 1). Shared by the writer and the reader; docs/log_format.md says the
// same in words and is checked by a golden block.
//
// Thread: constants.

#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::block_format {

// ---- header: hashed as it stands, from the first byte to the end of the boot id
// ---------------------------------------
inline constexpr std::size_t kFormatOffset = 0;         // u32
inline constexpr std::size_t kLogIdOffset = 4;          // 16 bytes
inline constexpr std::size_t kFirstOffset = 20;         // u64
inline constexpr std::size_t kCountOffset = 28;         // u32
inline constexpr std::size_t kBootMicrosOffset = 32;    // i64
inline constexpr std::size_t kStateVersionOffset = 40;  // u32
inline constexpr std::size_t kStateDigestOffset = 44;   // 16 bytes
inline constexpr std::size_t kBootIdSizeOffset = 60;    // u32, then the boot id
inline constexpr std::size_t kFixedHeaderBytes = 64;
inline constexpr std::size_t kMaxBootIdBytes = 255;

// ---- after the header
// --------------------------------------------------------------------------------------------------
inline constexpr std::size_t kHashBytes = 32;  // previous block's hash, then u32 bulk bytes, u32 entries' bytes
inline constexpr std::size_t kAfterHeaderBytes = kHashBytes + 4 + 4;

// ---- an entry
// ---------------------------------------------------------------------------------------------------------- u8 flags,
// i64 at, u32 + principal, u32 input size + (input | input hash when bulk), u32 + events, 4 bytes of its hash
inline constexpr std::uint8_t kBulkFlag = 1;
inline constexpr std::size_t kEntryCheckBytes = 4;
inline constexpr std::size_t kMinEntryBytes = 1 + 8 + 4 + 4 + 4 + kEntryCheckBytes;

// ---- the bulk value: u32 count of bodies, then the bodies, whose sizes stand in the block
// -------------------------------
inline constexpr std::size_t kBulkHeaderBytes = 4;

// A block or its bulk value is never larger: sizes fit u32 with room, and one write of it is still bounded.
inline constexpr std::size_t kMaxValueBytes = std::size_t{1} << 30;

}  // namespace holdfast::block_format
