// Blocks for tests: a chain whose every byte follows from a seed, so that a test can make it again and compare.
//
// Thread: one at a time. Does not: hold real inputs; the log does not look into them.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/block_builder.h"
#include "events/event_log.h"
#include "tests/events/seeded_random.h"

namespace holdfast::testing {

class SampleChain {
 public:
  explicit SampleChain(std::uint64_t seed = 1);

  // The next block: `entries` of them, about `bytes` each; every third one is bulky.
  EncodedBlock Next(std::uint32_t entries, std::size_t bytes = 60);

  const std::array<std::uint8_t, 16>& log_id() const { return log_id_; }

  static AppendRequest Request(const EncodedBlock& block, const std::vector<SideRow>* periods = nullptr);

 private:
  std::array<std::uint8_t, 16> log_id_;
  SeededRandom random_;
  BlockBuilder builder_;
  Sequence next_{1};
  Hash256 previous_{};
  std::int64_t at_ = 1'800'000'000'000'000;
};

// Appends `count` blocks of the chain; a failure fails the test.
std::vector<EncodedBlock> AppendBlocks(EventLog& log, SampleChain& chain, int count, std::uint32_t entries = 3,
                                       std::size_t bytes = 60);

// Everything that a reader from the beginning gives; a failure fails the test.
std::vector<StoredBlock> ReadAll(const EventLog& log, Sequence from = Sequence(0));

// Whether these blocks are those, byte for byte.
void ExpectSameBlocks(const std::vector<StoredBlock>& read, const std::vector<EncodedBlock>& written);

}  // namespace holdfast::testing
