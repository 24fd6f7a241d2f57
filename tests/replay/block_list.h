// A log that is a list of blocks in memory, to be changed as no writer would, and a forger who alters entries and
// computes every hash again.
//
// Thread: one, but reading from any.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "events/block.h"
#include "events/event_log.h"

namespace holdfast::testing {

class BlockList final : public EventLog {
 public:
  BlockList() = default;
  // All of another log.
  explicit BlockList(const EventLog& log);

  absl::Status Append(const AppendRequest& request) override;
  Sequence Tip() const override;
  absl::StatusOr<std::unique_ptr<BlockReader>> NewReader(Sequence from) const override;
  absl::StatusOr<std::vector<SideRow>> OwnershipPeriods(std::string_view prefix, std::string_view after,
                                                        std::size_t limit) const override;
  std::uint64_t SizeBytes() const override { return 0; }

  std::vector<StoredBlock> blocks;
  std::vector<SideRow> periods;  // ascending by key
};

// Last sequence of a stored block. Requires: it is well formed.
Sequence LastOf(const StoredBlock& block);

// Writes every block anew with what `change` makes of its header and entries; all hashes fit afterwards. Requires: no
// body was dropped.
void Forge(BlockList& log, const std::function<void(DecodedBlock&)>& change);

}  // namespace holdfast::testing
