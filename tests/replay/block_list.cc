#include "tests/replay/block_list.h"

#include <utility>

#include "base/check.h"
#include "events/block_builder.h"
#include "events/block_codec.h"

namespace holdfast::testing {
namespace {

class ListReader final : public BlockReader {
 public:
  ListReader(const BlockList& log, Sequence from) : log_(log) {
    while (next_ + 1 < log_.blocks.size() && LastOf(log_.blocks[next_]) < from) ++next_;
  }
  absl::StatusOr<std::optional<StoredBlock>> Next() override {
    if (next_ >= log_.blocks.size()) return std::nullopt;
    return log_.blocks[next_++];
  }

 private:
  const BlockList& log_;
  std::size_t next_ = 0;
};

}  // namespace

BlockList::BlockList(const EventLog& log) {
  const auto reader = *log.NewReader(Sequence(0));
  while (std::optional<StoredBlock> block = *reader->Next()) blocks.push_back(*std::move(block));
  periods = *log.OwnershipPeriods("", "", 1'000'000);
}

absl::Status BlockList::Append(const AppendRequest&) { return absl::UnimplementedError("a list is not appended to"); }

Sequence BlockList::Tip() const { return blocks.empty() ? Sequence() : LastOf(blocks.back()); }

absl::StatusOr<std::unique_ptr<BlockReader>> BlockList::NewReader(Sequence from) const {
  return std::make_unique<ListReader>(*this, from);
}

absl::StatusOr<std::vector<SideRow>> BlockList::OwnershipPeriods(std::string_view prefix, std::string_view after,
                                                                 std::size_t limit) const {
  std::vector<SideRow> rows;
  for (const SideRow& row : periods) {
    if (rows.size() == limit) break;
    if (row.key.starts_with(prefix) && (after.empty() || row.key > after)) rows.push_back(row);
  }
  return rows;
}

Sequence LastOf(const StoredBlock& block) {
  const absl::StatusOr<BlockHeader> header = ParseBlockHeader(block.block);
  return header.ok() ? Sequence(header->first.value() + header->count - 1) : block.first;
}

void Forge(BlockList& log, const std::function<void(DecodedBlock&)>& change) {
  Hash256 previous{};
  for (StoredBlock& stored : log.blocks) {
    absl::StatusOr<DecodedBlock> block = DecodeBlock(stored);
    HOLDFAST_CHECK(block.ok());
    change(*block);
    BlockBuilder builder(block->header.log_id, block->header.boot_id);
    builder.Begin(block->header.first);
    for (const StoredEntry& entry : block->entries) {
      builder.Add({entry.at, entry.principal, {}, entry.input, entry.bulk, entry.events});
    }
    const EncodedBlock sealed =
        builder.Seal({block->header.boot_micros, block->header.state_version, block->header.state_digest, previous});
    previous = sealed.hash;
    stored.block = sealed.block;
    stored.bulk = sealed.bulk;
  }
}

}  // namespace holdfast::testing
