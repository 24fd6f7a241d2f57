#include "events/memory_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/chain_verifier.h"
#include "tests/events/sample_chain.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

TEST(MemoryLog, ACrashKeepsWhatWasSynced) {
  MemoryLog log;
  testing::SampleChain chain;
  const std::vector<EncodedBlock> written = testing::AppendBlocks(log, chain, 5);

  log.Crash();

  testing::ExpectSameBlocks(testing::ReadAll(log), written);
  EXPECT_EQ(log.Tip(), Sequence(15));
}

TEST(MemoryLog, ACrashDropsWhatWasAcknowledgedWithoutASync) {
  MemoryLog log;
  testing::SampleChain chain;
  log.SetSyncOnAppend(false);
  const std::vector<EncodedBlock> synced = testing::AppendBlocks(log, chain, 2);
  log.Sync();
  const std::vector<SideRow> periods = {{"p/1", "x"}};
  const EncodedBlock lost = chain.Next(3);
  ASSERT_TRUE(log.Append(testing::SampleChain::Request(lost, &periods)).ok());

  log.Crash();

  testing::ExpectSameBlocks(testing::ReadAll(log), synced);
  EXPECT_TRUE(log.OwnershipPeriods("", "", 10)->empty());
  EXPECT_TRUE(log.Append(testing::SampleChain::Request(lost)).ok());
}

TEST(MemoryLog, AFailedAppendIsFinalUntilTheCrash) {
  MemoryLog log;
  testing::SampleChain chain;
  log.FailAppend(3, MemoryLog::Failure::kNothingWritten);
  testing::AppendBlocks(log, chain, 2);
  const EncodedBlock third = chain.Next(3);

  EXPECT_EQ(log.Append(testing::SampleChain::Request(third)).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(log.Append(testing::SampleChain::Request(third)).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(log.Tip(), Sequence(6));

  log.Crash();
  EXPECT_TRUE(log.Append(testing::SampleChain::Request(third)).ok());
}

TEST(MemoryLog, AnAppendMayFailAndYetBeThereAfterTheCrash) {
  MemoryLog log;
  testing::SampleChain chain;
  log.FailAppend(1, MemoryLog::Failure::kWrittenButNotAcknowledged);
  const EncodedBlock block = chain.Next(3);

  EXPECT_FALSE(log.Append(testing::SampleChain::Request(block)).ok());
  log.Crash();

  testing::ExpectSameBlocks(testing::ReadAll(log), {block});
}

TEST(MemoryLog, AReaderFromBeforeTheCrashSaysSo) {
  MemoryLog log;
  auto reader = log.NewReader(Sequence(0));

  log.Crash();

  EXPECT_EQ((*reader)->Next().status().code(), absl::StatusCode::kUnavailable);
}

TEST(MemoryLog, DroppedBodiesAreGoneAndTheChainStillHolds) {
  MemoryLog log;
  testing::SampleChain chain;
  testing::AppendBlocks(log, chain, 4);

  log.DropBulk(Sequence(7));

  ChainVerifier verifier;
  BlockView view;
  for (const StoredBlock& block : testing::ReadAll(log)) {
    ASSERT_TRUE(view.Parse(block.block, block.bulk).ok());
    EXPECT_EQ(view.entries()[2].input_dropped, block.first < Sequence(7));
    EXPECT_TRUE(verifier.Check(view).ok());
  }
}

TEST(MemoryLog, AMissingBlockStopsTheReaderWithItsSequence) {
  MemoryLog log;
  testing::SampleChain chain;
  testing::AppendBlocks(log, chain, 3);
  log.ReplaceBlock(Sequence(4), "");

  auto reader = log.NewReader(Sequence(0));
  ASSERT_TRUE((*reader)->Next().ok());
  const absl::Status status = (*reader)->Next().status();

  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("block at sequence 4 is missing"));
}

}  // namespace
}  // namespace holdfast
