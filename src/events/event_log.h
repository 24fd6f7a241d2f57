// The event log: an append-only sequence of blocks, each one synced batch of entries. Everything above speaks to this
// interface alone; a replicated engine may stand behind it later.
//
// Life cycle: opened (and, when empty, given its log_id with the first block), appended to, closed by destruction.
// Thread: Append from one thread at a time; Tip, ReadBlock and NewReader from any thread, also while an append is under
// way. Guarantees: Append returns OK only after the block is synced; a block is there as a whole or not at all; an
// append that does not follow the last sequence is refused (FailedPrecondition) and changes nothing. A failed write or
// sync leaves the log unusable: every later Append fails, and the caller ends the process (fail-stop). Does not: decode
// events, verify hashes (block_codec.h), decide anything.

#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace holdfast {

// A row that belongs to a block and is written with it (ended ownership periods). Keys are the writer's.
struct SideRow {
  std::string key;
  std::string value;
};

struct AppendRequest {
  Sequence follows;        // the last sequence that the writer knows
  Sequence first, last;    // of this block; first == follows + 1
  std::string_view block;  // encoded block (block_codec.h)
  std::string_view bulk;   // encoded bodies of the bulky inputs of this block; empty: none
  const std::vector<SideRow>* ownership_periods = nullptr;  // may be null
};

struct StoredBlock {
  Sequence first;
  std::string block;
  std::string bulk;  // empty: none in this block, or dropped by retention (the block says which)
};

// Reads blocks in order. Sees what was committed when Next is called: at the end, a later Next may succeed.
class BlockReader {
 public:
  virtual ~BlockReader() = default;
  // The next block; nullopt at the end of what is committed.
  virtual absl::StatusOr<std::optional<StoredBlock>> Next() = 0;
};

class EventLog {
 public:
  virtual ~EventLog() = default;

  virtual absl::Status Append(const AppendRequest& request) = 0;

  // Last committed sequence; 0 when empty.
  virtual Sequence Tip() const = 0;

  // From the block that holds `from` (or the first kept, when `from` is 0 or older). NotFound-like Status only for I/O.
  virtual absl::StatusOr<std::unique_ptr<BlockReader>> NewReader(Sequence from) const = 0;

  // Rows of ownership periods with this key prefix, ascending, at most `limit`, strictly after key `after` when not
  // empty.
  virtual absl::StatusOr<std::vector<SideRow>> OwnershipPeriods(std::string_view prefix, std::string_view after,
                                                                std::size_t limit) const = 0;

  // Bytes on disk, an estimate; 0 for an in-memory log.
  virtual std::uint64_t SizeBytes() const = 0;
};

}  // namespace holdfast
