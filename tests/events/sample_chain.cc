#include "tests/events/sample_chain.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace holdfast::testing {
namespace {

std::array<std::uint8_t, 16> LogIdOf(std::uint64_t seed) {
  SeededRandom random(seed);
  std::array<std::uint8_t, 16> id;
  for (std::uint8_t& byte : id) byte = static_cast<std::uint8_t>(random.Number());
  return id;
}

}  // namespace

SampleChain::SampleChain(std::uint64_t seed)
    : log_id_(LogIdOf(seed)), random_(seed), builder_(log_id_, "3b0d3a52-94b6-4bd2-a4ee-2b5b2f0d8c11") {}

EncodedBlock SampleChain::Next(std::uint32_t entries, std::size_t bytes) {
  builder_.Begin(next_);
  for (std::uint32_t i = 0; i < entries; ++i) {
    at_ += static_cast<std::int64_t>(random_.Below(1'000));
    const std::string body = random_.Bytes(bytes);
    const std::string events = random_.Bytes(random_.Below(40));
    builder_.Add({.at = LogTimeFromMicros(at_),
                  .principal = i % 2 == 0 ? "loopback" : "spiffe://pool.example/test/worker/w-1",
                  .input_prefix = "in:",
                  .input_body = body,
                  .bulk = i % 3 == 2,
                  .events = events});
  }
  BlockSeal seal{.boot_micros = at_ - 1'799'999'000'000'000, .state_version = 1, .previous_hash = previous_};
  seal.state_digest.fill(static_cast<std::uint8_t>(random_.Number()));
  EncodedBlock block = builder_.Seal(seal);
  next_ = Sequence(block.last.value() + 1);
  previous_ = block.hash;
  return block;
}

AppendRequest SampleChain::Request(const EncodedBlock& block, const std::vector<SideRow>* periods) {
  return {.follows = Sequence(block.first.value() - 1),
          .first = block.first,
          .last = block.last,
          .block = block.block,
          .bulk = block.bulk,
          .ownership_periods = periods};
}

std::vector<EncodedBlock> AppendBlocks(EventLog& log, SampleChain& chain, int count, std::uint32_t entries,
                                       std::size_t bytes) {
  std::vector<EncodedBlock> blocks;
  for (int i = 0; i < count; ++i) {
    blocks.push_back(chain.Next(entries, bytes));
    const absl::Status status = log.Append(SampleChain::Request(blocks.back()));
    EXPECT_TRUE(status.ok()) << status;
  }
  return blocks;
}

std::vector<StoredBlock> ReadAll(const EventLog& log, Sequence from) {
  std::vector<StoredBlock> blocks;
  absl::StatusOr<std::unique_ptr<BlockReader>> reader = log.NewReader(from);
  EXPECT_TRUE(reader.ok()) << reader.status();
  while (reader.ok()) {
    absl::StatusOr<std::optional<StoredBlock>> block = (*reader)->Next();
    EXPECT_TRUE(block.ok()) << block.status();
    if (!block.ok() || !block->has_value()) break;
    blocks.push_back(**std::move(block));
  }
  return blocks;
}

void ExpectSameBlocks(const std::vector<StoredBlock>& read, const std::vector<EncodedBlock>& written) {
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    ASSERT_EQ(read[i].first, written[i].first);
    ASSERT_TRUE(read[i].block == written[i].block) << "block at sequence " << written[i].first.value();
    ASSERT_TRUE(read[i].bulk == written[i].bulk) << "bulk at sequence " << written[i].first.value();
  }
}

}  // namespace holdfast::testing
