// Builds one block while its entries are decided: each is hashed and appended as it comes, so that sealing costs
// little.
//
//   Begin(first) ─► Add(entry)… ─► Seal(…) ─► Begin(next)…        Recycle(block) at any time after its commit
//
// Called by the sequencer's driver. Thread: one at a time. Promises: the bytes of docs/log_format.md, format 1; no
// allocation beyond the growth of two buffers, which Recycle brings back. Does not: write, or know what an input means.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/log_time.h"
#include "base/sha256.h"
#include "events/encoded_block.h"

namespace holdfast {

// One decided entry, as pieces that need to live only during Add.
struct EntryParts {
  LogTime at;
  std::string_view principal;
  std::string_view input_prefix;  // the input is prefix + body: a raw request is wrapped without being copied first
  std::string_view input_body;
  bool bulk = false;        // the input is kept apart, where retention may drop it
  std::string_view events;  // a serialised log.v1.Events
};

// What is only known when the block ends.
struct BlockSeal {
  std::int64_t boot_micros = 0;  // the boot-time reading that the last entry's `at` was made from, microseconds
  std::uint32_t state_version = 0;
  std::array<std::uint8_t, 16> state_digest{};
  Hash256 previous_hash{};  // all zero for the first block of a log
};

class BlockBuilder {
 public:
  // `boot_id`: 1 to 255 bytes (boot_clock.h).
  BlockBuilder(const std::array<std::uint8_t, 16>& log_id, std::string_view boot_id);

  // Starts an empty block. Drops what was added and not sealed.
  void Begin(Sequence first);

  // The sequence that the entry got. Requires: Begin was called. Aborts past 1 GiB: callers seal long before.
  Sequence Add(const EntryParts& entry);

  std::uint32_t count() const { return count_; }
  // Bytes that sealing would give, both values together.
  std::size_t SizeBytes() const { return block_.size() + bulk_.size() + Sha256Bytes; }

  // Requires: count() > 0. Afterwards Begin starts the next one.
  EncodedBlock Seal(const BlockSeal& seal);

  // Takes the buffers of a block that was committed, for one to come.
  void Recycle(EncodedBlock&& committed);

 private:
  static constexpr std::size_t Sha256Bytes = 32;

  void AppendInput(const EntryParts& entry, const Hash256& input_hash);

  const std::array<std::uint8_t, 16> log_id_;
  const std::string boot_id_;
  Sha256 hasher_;
  Sequence first_;
  std::uint32_t count_ = 0;
  std::uint32_t bulk_count_ = 0;
  std::string block_;
  std::string bulk_;
  std::string entry_hashes_;
  std::string spare_block_;
  std::string spare_bulk_;
};

}  // namespace holdfast
