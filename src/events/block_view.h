// A stored block, taken apart without copying: views into the two values that were read from the log.
//
// Called by recovery, the follower and the replay tool, on their own threads. Thread: one at a time. Promises: any
// bytes give a view or an error that says where, never a crash, never more memory than the bytes themselves justify; a
// view that is parsed anew keeps its memory. Does not: check hashes (VerifyBlock, ChainVerifier) or decode events.

#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash256.h"
#include "events/block.h"
#include "events/byte_cursor.h"
#include "events/entry_view.h"

namespace holdfast {

// The header alone: cheap, for whoever needs to know which sequences a block holds.
absl::StatusOr<BlockHeader> ParseBlockHeader(std::string_view block);

// Bytes of the block's value in `bulk` when it was sealed; 0: it never had one.
absl::StatusOr<std::uint32_t> ParseBulkBytes(std::string_view block);

class BlockView {
 public:
  // Takes a block apart. `bulk`: its value in `bulk`, empty when there is none or retention has dropped it. The bytes
  // must outlive the view. DataLoss: malformed, with the byte; Unimplemented: a format of a newer program. After an
  // error the view is empty.
  absl::Status Parse(std::string_view block, std::string_view bulk);

  const BlockHeader& header() const { return header_; }
  // The header as stored, which is what is hashed.
  std::string_view header_bytes() const { return header_bytes_; }
  const Hash256& previous_hash() const { return previous_hash_; }
  // As stored.
  const Hash256& hash() const { return hash_; }
  std::span<const EntryView> entries() const { return entries_; }
  Sequence last() const { return Sequence(header_.first.value() + header_.count - 1); }

 private:
  absl::Status ParseAll(std::string_view block, std::string_view bulk);
  absl::Status ParseEntries(ByteCursor* cursor);
  absl::Status ParseEntry(ByteCursor* cursor, EntryView* entry);
  absl::Status AttachBulk(std::string_view bulk, std::size_t sealed_bulk_bytes);

  BlockHeader header_;
  std::string_view header_bytes_;
  Hash256 previous_hash_{};
  Hash256 hash_{};
  std::vector<EntryView> entries_;
  std::vector<std::uint32_t> bulk_sizes_;  // of the bulk entries' inputs, in order
};

}  // namespace holdfast
