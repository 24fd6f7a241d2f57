// A block and its entries in memory, as the codec reads and writes them.
//
// Thread: plain values.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/hash256.h"
#include "base/ids.h"
#include "base/log_time.h"

namespace holdfast {

inline constexpr std::uint32_t kBlockFormat = 1;

struct BlockHeader {
  std::uint32_t format = kBlockFormat;
  std::array<std::uint8_t, 16> log_id{};  // random, drawn with the first block
  Sequence first;
  std::uint32_t count = 0;
  std::string boot_id;                          // of the machine's boot that wrote it
  std::int64_t boot_micros = 0;                 // boot-time clock when the block was sealed, microseconds
  std::uint32_t state_version = 0;              // of the projections that the digest was taken of
  std::array<std::uint8_t, 16> state_digest{};  // of all projections after the last entry
};

struct StoredEntry {
  Sequence sequence;
  LogTime at;
  std::string principal;
  // The input as it came: a serialised log.v1.Input. Bulky ones are stored apart (column family bulk); `input_dropped`
  // says that retention has taken the body and that only its hash is left.
  std::string input;
  bool bulk = false;
  bool input_dropped = false;
  Hash256 input_hash{};
  std::string events;  // a serialised log.v1.Events
  Hash256 hash{};      // entry hash
};

struct DecodedBlock {
  BlockHeader header;
  Hash256 previous_hash{};
  std::vector<StoredEntry> entries;
  Hash256 hash{};
};

}  // namespace holdfast
