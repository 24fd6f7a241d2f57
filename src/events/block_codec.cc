#include "events/block_codec.h"

#include <absl/strings/str_cat.h>

#include <cstring>

#include "base/sha256.h"
#include "events/block_hash.h"

namespace holdfast {
namespace {

struct EntryHashes {
  Hash256 input;
  Hash256 entry;
};

Hash256 InputHash(Sha256& hasher, const EntryView& entry) {
  if (!entry.input_dropped) return hasher.Of(entry.input);
  Hash256 hash;
  std::memcpy(hash.data(), entry.stored_input_hash.data(), hash.size());
  return hash;
}

EntryHashes HashesOf(Sha256& hasher, const EntryView& entry) {
  EntryHashes hashes;
  hashes.input = InputHash(hasher, entry);
  hashes.entry = EntryHash(hasher, entry.sequence, entry.at, entry.principal, hashes.input, hasher.Of(entry.events));
  return hashes;
}

std::string BlockName(const BlockView& block) {
  return absl::StrCat("block of sequences ", block.header().first.value(), " to ", block.last().value());
}

// Compares one entry with what the block keeps of its hashes.
absl::Status CheckEntry(const EntryView& entry, const EntryHashes& hashes) {
  if (entry.bulk && AsBytes(hashes.input) != entry.stored_input_hash) {
    return absl::DataLossError(absl::StrCat("entry ", entry.sequence.value(),
                                            ": its input, kept in bulk, is not the one whose hash the block holds"));
  }
  if (AsBytes(hashes.entry).substr(0, entry.check.size()) != entry.check) {
    return absl::DataLossError(
        absl::StrCat("entry ", entry.sequence.value(), ": its bytes were changed after they were written"));
  }
  return absl::OkStatus();
}

// `each(index, hashes)` sees every entry's hashes.
template <class Each>
absl::Status VerifyBlockWith(const BlockView& block, Each each) {
  thread_local Sha256 hasher;
  thread_local std::string entry_hashes;
  entry_hashes.clear();
  for (std::size_t i = 0; i < block.entries().size(); ++i) {
    const EntryHashes hashes = HashesOf(hasher, block.entries()[i]);
    if (absl::Status status = CheckEntry(block.entries()[i], hashes); !status.ok()) return status;
    entry_hashes.append(AsBytes(hashes.entry));
    each(i, hashes);
  }
  if (BlockHash(hasher, block.previous_hash(), block.header_bytes(), entry_hashes) != block.hash()) {
    return absl::DataLossError(
        absl::StrCat(BlockName(block), ": its hash does not fit: its header or its end was changed"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DecodedBlock> DecodeBlock(const StoredBlock& stored) {
  BlockView view;
  if (absl::Status status = view.Parse(stored.block, stored.bulk); !status.ok()) return status;
  DecodedBlock decoded{.header = view.header(), .previous_hash = view.previous_hash(), .entries = {}, .hash = {}};
  decoded.entries.reserve(view.entries().size());
  absl::Status status = VerifyBlockWith(view, [&](std::size_t index, const EntryHashes& hashes) {
    const EntryView& entry = view.entries()[index];
    decoded.entries.push_back(StoredEntry{.sequence = entry.sequence,
                                          .at = entry.at,
                                          .principal = std::string(entry.principal),
                                          .input = std::string(entry.input),
                                          .bulk = entry.bulk,
                                          .input_dropped = entry.input_dropped,
                                          .input_hash = hashes.input,
                                          .events = std::string(entry.events),
                                          .hash = hashes.entry});
  });
  if (!status.ok()) return status;
  decoded.hash = view.hash();
  return decoded;
}

absl::Status VerifyBlock(const BlockView& block) {
  return VerifyBlockWith(block, [](std::size_t, const EntryHashes&) {});
}

absl::Status VerifyChain(const BlockView& block, const Hash256& previous_hash) {
  if (block.previous_hash() != previous_hash) {
    return absl::DataLossError(absl::StrCat(BlockName(block), ": it does not follow the block before it (",
                                            ToHex(previous_hash), "), but ", ToHex(block.previous_hash())));
  }
  return VerifyBlock(block);
}

}  // namespace holdfast
