// Decoding of stored blocks with their hashes: what stands above BlockView. Encoding is BlockBuilder's.
//
// Called by the replay tool, recovery and tests. Thread: any; the functions are pure. Promises: any bytes give a block
// or an error, never a crash. Does not: know the log, or what an input or an event means.

#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "events/block.h"
#include "events/block_view.h"
#include "events/event_log.h"

namespace holdfast {

// A copy of everything in the block, with each entry's hashes computed from the stored bytes. Checks the block's own
// hash. DataLoss: malformed or changed, with the sequence; Unimplemented: a newer format.
absl::StatusOr<DecodedBlock> DecodeBlock(const StoredBlock& stored);

// Computes every hash of the block anew from its bytes and compares. DataLoss names the first sequence that is not as
// it was written, or the block where its header or its end was changed.
absl::Status VerifyBlock(const BlockView& block);

// VerifyBlock, and that the block follows the one with this hash (all zero: that it is the first of a log).
absl::Status VerifyChain(const BlockView& block, const Hash256& previous_hash);

}  // namespace holdfast
