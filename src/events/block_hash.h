// What is hashed of an entry and of a block, in one place for the writer and the reader. docs/log_format.md.
//
// Thread: as the Sha256 that is given. Promises: bytes are hashed as stored, nothing is serialised again.

#pragma once

#include <string_view>

#include "base/hash256.h"
#include "base/ids.h"
#include "base/log_time.h"
#include "base/sha256.h"

namespace holdfast {

// SHA-256(u64 sequence ‖ i64 at ‖ u32 length ‖ principal ‖ H(input) ‖ H(events)).
Hash256 EntryHash(Sha256& hasher, Sequence sequence, LogTime at, std::string_view principal, const Hash256& input_hash,
                  const Hash256& events_hash);

// SHA-256(previous block hash ‖ header bytes ‖ entry hashes). `entry_hashes`: 32 bytes each, in order.
Hash256 BlockHash(Sha256& hasher, const Hash256& previous_hash, std::string_view header, std::string_view entry_hashes);

}  // namespace holdfast
