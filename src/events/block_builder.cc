#include "events/block_builder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/little_endian.h"
#include "events/block.h"
#include "events/block_format.h"
#include "events/block_hash.h"

namespace holdfast {

namespace format = block_format;

namespace {

// Buffers that one rare huge block made grow are not kept.
constexpr std::size_t kMaxRecycledBytes = std::size_t{16} << 20;

void AppendText(std::string_view text, std::string* out) {
  AppendLittleEndian(static_cast<std::uint32_t>(text.size()), out);
  out->append(text);
}

template <class Integer>
void Patch(std::string& buffer, std::size_t offset, Integer value) {
  StoreLittleEndian(value, buffer.data() + offset);
}

}  // namespace

BlockBuilder::BlockBuilder(const std::array<std::uint8_t, 16>& log_id, std::string_view boot_id)
    : log_id_(log_id), boot_id_(boot_id) {
  HOLDFAST_CHECK(!boot_id_.empty() && boot_id_.size() <= format::kMaxBootIdBytes);
}

void BlockBuilder::Begin(Sequence first) {
  HOLDFAST_CHECK(first.value() > 0);
  first_ = first;
  count_ = 0;
  bulk_count_ = 0;
  block_.assign(format::kFixedHeaderBytes, '\0');
  Patch(block_, format::kFormatOffset, kBlockFormat);
  std::copy(log_id_.begin(), log_id_.end(), block_.begin() + format::kLogIdOffset);
  Patch(block_, format::kFirstOffset, first.value());
  Patch(block_, format::kBootIdSizeOffset, static_cast<std::uint32_t>(boot_id_.size()));
  block_.append(boot_id_);
  block_.append(format::kAfterHeaderBytes, '\0');  // known when the block is sealed
  bulk_.clear();
  entry_hashes_.clear();
}

Sequence BlockBuilder::Add(const EntryParts& entry) {
  HOLDFAST_CHECK(first_.value() > 0);
  const std::size_t added = entry.principal.size() + entry.input_prefix.size() + entry.input_body.size() +
                            entry.events.size() + format::kMinEntryBytes + format::kHashBytes;
  HOLDFAST_CHECK(added < format::kMaxValueBytes && SizeBytes() + added < format::kMaxValueBytes);
  const Sequence sequence(first_.value() + count_);
  const Hash256 input_hash = hasher_.Update(entry.input_prefix).Update(entry.input_body).Finish();
  const Hash256 events_hash = hasher_.Of(entry.events);
  const Hash256 hash = EntryHash(hasher_, sequence, entry.at, entry.principal, input_hash, events_hash);

  block_.push_back(static_cast<char>(entry.bulk ? format::kBulkFlag : 0));
  AppendLittleEndian(ToMicros(entry.at), &block_);
  AppendText(entry.principal, &block_);
  AppendInput(entry, input_hash);
  AppendText(entry.events, &block_);
  block_.append(AsBytes(hash).substr(0, format::kEntryCheckBytes));
  entry_hashes_.append(AsBytes(hash));
  ++count_;
  return sequence;
}

void BlockBuilder::AppendInput(const EntryParts& entry, const Hash256& input_hash) {
  AppendLittleEndian(static_cast<std::uint32_t>(entry.input_prefix.size() + entry.input_body.size()), &block_);
  if (!entry.bulk) {
    block_.append(entry.input_prefix).append(entry.input_body);
    return;
  }
  block_.append(AsBytes(input_hash));
  if (bulk_.empty()) bulk_.assign(format::kBulkHeaderBytes, '\0');
  bulk_.append(entry.input_prefix).append(entry.input_body);
  ++bulk_count_;
}

EncodedBlock BlockBuilder::Seal(const BlockSeal& seal) {
  HOLDFAST_CHECK(count_ > 0);
  const std::size_t header_bytes = format::kFixedHeaderBytes + boot_id_.size();
  const std::size_t entries_begin = header_bytes + format::kAfterHeaderBytes;
  Patch(block_, format::kCountOffset, count_);
  Patch(block_, format::kBootMicrosOffset, seal.boot_micros);
  Patch(block_, format::kStateVersionOffset, seal.state_version);
  std::copy(seal.state_digest.begin(), seal.state_digest.end(), block_.begin() + format::kStateDigestOffset);
  std::memcpy(block_.data() + header_bytes, seal.previous_hash.data(), format::kHashBytes);
  Patch(block_, header_bytes + format::kHashBytes, static_cast<std::uint32_t>(bulk_.size()));
  Patch(block_, header_bytes + format::kHashBytes + 4, static_cast<std::uint32_t>(block_.size() - entries_begin));
  if (!bulk_.empty()) Patch(bulk_, 0, bulk_count_);

  EncodedBlock sealed;
  sealed.hash = BlockHash(hasher_, seal.previous_hash, std::string_view(block_).substr(0, header_bytes), entry_hashes_);
  block_.append(AsBytes(sealed.hash));
  sealed.first = first_;
  sealed.last = Sequence(first_.value() + count_ - 1);
  sealed.block = std::exchange(block_, std::exchange(spare_block_, {}));
  sealed.bulk = std::exchange(bulk_, std::exchange(spare_bulk_, {}));
  first_ = Sequence(0);
  count_ = 0;
  return sealed;
}

void BlockBuilder::Recycle(EncodedBlock&& committed) {
  const auto take = [](std::string& from, std::string& spare) {
    if (from.capacity() > kMaxRecycledBytes || from.capacity() <= spare.capacity()) return;
    spare = std::move(from);
    spare.clear();
  };
  take(committed.block, spare_block_);
  take(committed.bulk, spare_bulk_);
}

}  // namespace holdfast
