#include "events/chain_verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/events/sample_chain.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

absl::Status Check(ChainVerifier& verifier, const EncodedBlock& block) {
  BlockView view;
  const absl::Status parsed = view.Parse(block.block, block.bulk);
  return parsed.ok() ? verifier.Check(view) : parsed;
}

std::vector<EncodedBlock> Blocks(int count, std::uint64_t seed = 1) {
  testing::SampleChain chain(seed);
  std::vector<EncodedBlock> blocks;
  for (int i = 0; i < count; ++i) blocks.push_back(chain.Next(4));
  return blocks;
}

TEST(ChainVerifier, AWholeChainIsSoundAndItsEndIsKnown) {
  const std::vector<EncodedBlock> blocks = Blocks(20);
  ChainVerifier verifier;

  for (const EncodedBlock& block : blocks) ASSERT_TRUE(Check(verifier, block).ok());

  ASSERT_TRUE(verifier.point().has_value());
  EXPECT_EQ(verifier.point()->last, Sequence(80));
  EXPECT_EQ(verifier.point()->hash, blocks.back().hash);
}

TEST(ChainVerifier, GoesOnFromAKnownPoint) {
  const std::vector<EncodedBlock> blocks = Blocks(3);
  ChainVerifier whole;
  ASSERT_TRUE(Check(whole, blocks[0]).ok());

  ChainVerifier tail(*whole.point());

  EXPECT_TRUE(Check(tail, blocks[1]).ok());
  EXPECT_TRUE(Check(tail, blocks[2]).ok());
}

TEST(ChainVerifier, EachMissingBlockIsNamedByItsSequence) {
  const std::vector<EncodedBlock> blocks = Blocks(5);

  for (std::size_t missing = 0; missing + 1 < blocks.size(); ++missing) {
    ChainVerifier verifier;
    absl::Status status;
    for (std::size_t i = 0; i < blocks.size() && status.ok(); ++i) {
      if (i != missing) status = Check(verifier, blocks[i]);
    }

    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("block at sequence " + std::to_string(blocks[missing].first.value()) + " is missing"));
    EXPECT_THAT(std::string(status.message()), HasSubstr("holdfast-replay verify"));
  }
}

TEST(ChainVerifier, ABlockTwiceIsRefused) {
  const std::vector<EncodedBlock> blocks = Blocks(2);
  ChainVerifier verifier;
  ASSERT_TRUE(Check(verifier, blocks[0]).ok());

  const absl::Status status = Check(verifier, blocks[0]);

  EXPECT_THAT(std::string(status.message()), HasSubstr("block at sequence 1 comes again: 5 was to come next"));
}

TEST(ChainVerifier, ABlockOfAnotherLogIsRefusedAlthoughItsNumbersFit) {
  const std::vector<EncodedBlock> ours = Blocks(2, 1);
  const std::vector<EncodedBlock> theirs = Blocks(2, 2);
  ChainVerifier verifier;
  ASSERT_TRUE(Check(verifier, ours[0]).ok());

  const absl::Status status = Check(verifier, theirs[1]);

  EXPECT_THAT(std::string(status.message()), HasSubstr("block at sequence 5 belongs to another log"));
}

TEST(ChainVerifier, ARewrittenBlockIsFoundByTheNextOne) {
  testing::SampleChain chain;
  const EncodedBlock first = chain.Next(1, 10);
  const EncodedBlock second = chain.Next(1);
  BlockBuilder forger(chain.log_id(), "boot");
  forger.Begin(Sequence(1));
  forger.Add({.at = LogTimeFromMicros(1), .principal = "forged", .input_prefix = {}, .input_body = {}, .events = {}});
  const EncodedBlock forged = forger.Seal({});
  ChainVerifier verifier;

  ASSERT_TRUE(Check(verifier, forged).ok());
  const absl::Status status = Check(verifier, second);

  EXPECT_THAT(std::string(status.message()), HasSubstr("block of sequences 2 to 2: it does not follow"));
}

TEST(ChainVerifier, AFailedCheckLeavesThePointWhereItWas) {
  const std::vector<EncodedBlock> blocks = Blocks(3);
  ChainVerifier verifier;
  ASSERT_TRUE(Check(verifier, blocks[0]).ok());

  ASSERT_FALSE(Check(verifier, blocks[2]).ok());

  EXPECT_TRUE(Check(verifier, blocks[1]).ok());
}

}  // namespace
}  // namespace holdfast
