// What every event log promises, tried on each of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "events/chain_verifier.h"
#include "events/memory_log.h"
#include "events/rocksdb_log.h"
#include "tests/events/sample_chain.h"
#include "tests/events/temporary_directory.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

class Memory {
 public:
  EventLog& log() { return log_; }

 private:
  MemoryLog log_;
};

class RocksDb {
 public:
  RocksDb() {
    auto opened = RocksDbLog::Open(directory_.path());
    if (!opened.ok()) ADD_FAILURE() << opened.status();
    if (opened.ok()) log_ = *std::move(opened);
  }
  EventLog& log() { return *log_; }

 private:
  testing::TemporaryDirectory directory_;
  std::unique_ptr<RocksDbLog> log_;
};

template <class Fixture>
class EventLogConformance : public ::testing::Test {
 protected:
  EventLog& log() { return fixture_.log(); }

  Fixture fixture_;
  testing::SampleChain chain_;
};

using Implementations = ::testing::Types<Memory, RocksDb>;
TYPED_TEST_SUITE(EventLogConformance, Implementations);

TYPED_TEST(EventLogConformance, AnEmptyLogHasNothingToRead) {
  EXPECT_EQ(this->log().Tip(), Sequence(0));
  EXPECT_TRUE(testing::ReadAll(this->log()).empty());
  EXPECT_TRUE(testing::ReadAll(this->log(), Sequence(17)).empty());
}

TYPED_TEST(EventLogConformance, WhatWasAppendedIsReadByteForByteAndInOrder) {
  const std::vector<EncodedBlock> written = testing::AppendBlocks(this->log(), this->chain_, 40, 7);

  const std::vector<StoredBlock> read = testing::ReadAll(this->log());

  EXPECT_EQ(this->log().Tip(), Sequence(280));
  testing::ExpectSameBlocks(read, written);
  ChainVerifier verifier;
  BlockView view;
  for (const StoredBlock& block : read) {
    ASSERT_TRUE(view.Parse(block.block, block.bulk).ok());
    ASSERT_TRUE(verifier.Check(view).ok());
  }
}

TYPED_TEST(EventLogConformance, AReaderBeginsWithTheBlockThatHoldsTheSequence) {
  const std::vector<EncodedBlock> written = testing::AppendBlocks(this->log(), this->chain_, 10, 5);

  for (std::uint64_t from = 0; from <= 50; ++from) {
    const std::vector<StoredBlock> read = testing::ReadAll(this->log(), Sequence(from));

    ASSERT_FALSE(read.empty()) << from;
    const std::uint64_t block = from == 0 ? 0 : (from - 1) / 5;
    ASSERT_EQ(read.front().first, written[block].first) << from;
    ASSERT_EQ(read.size(), written.size() - block) << from;
  }
}

TYPED_TEST(EventLogConformance, AReaderPastTheEndWaitsForItsSequence) {
  testing::AppendBlocks(this->log(), this->chain_, 1, 5);
  auto reader = this->log().NewReader(Sequence(6));
  ASSERT_TRUE(reader.ok());

  EXPECT_FALSE((*reader)->Next()->has_value());
  testing::AppendBlocks(this->log(), this->chain_, 1, 5);
  const absl::StatusOr<std::optional<StoredBlock>> next = (*reader)->Next();

  ASSERT_TRUE(next.ok() && next->has_value());
  EXPECT_EQ((*next)->first, Sequence(6));
}

TYPED_TEST(EventLogConformance, AReaderAtTheEndGoesOnWhenTheLogGrows) {
  auto reader = this->log().NewReader(Sequence(0));
  ASSERT_TRUE(reader.ok());

  for (int round = 0; round < 10; ++round) {
    const std::vector<EncodedBlock> written = testing::AppendBlocks(this->log(), this->chain_, 1 + round, 3);
    std::vector<StoredBlock> read;
    while (true) {
      absl::StatusOr<std::optional<StoredBlock>> block = (*reader)->Next();
      ASSERT_TRUE(block.ok()) << block.status();
      if (!block->has_value()) break;
      read.push_back(**std::move(block));
    }
    testing::ExpectSameBlocks(read, written);
  }
}

TYPED_TEST(EventLogConformance, AnAppendThatDoesNotFollowTheTipIsRefusedAndChangesNothing) {
  const std::vector<EncodedBlock> written = testing::AppendBlocks(this->log(), this->chain_, 2, 5);
  const EncodedBlock next = this->chain_.Next(5);
  AppendRequest request = testing::SampleChain::Request(next);

  for (const std::uint64_t follows : {0, 5, 9, 11, 100}) {
    request.follows = Sequence(follows);
    const absl::Status status = this->log().Append(request);

    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr("the log ends with 10"));
  }
  testing::ExpectSameBlocks(testing::ReadAll(this->log()), written);
  request.follows = Sequence(10);
  EXPECT_TRUE(this->log().Append(request).ok());
}

TYPED_TEST(EventLogConformance, ARequestThatContradictsItselfIsRefused) {
  testing::AppendBlocks(this->log(), this->chain_, 1, 5);
  const EncodedBlock next = this->chain_.Next(5);
  const AppendRequest good = testing::SampleChain::Request(next);

  AppendRequest gap = good;
  gap.first = Sequence(7);
  AppendRequest backwards = good;
  backwards.last = Sequence(5);
  AppendRequest longer = good;
  longer.last = Sequence(11);
  AppendRequest malformed = good;
  malformed.block = "not a block";
  for (const AppendRequest& request : {gap, backwards, longer, malformed}) {
    EXPECT_EQ(this->log().Append(request).code(), absl::StatusCode::kInvalidArgument);
  }

  EXPECT_EQ(this->log().Tip(), Sequence(5));
  EXPECT_TRUE(this->log().Append(good).ok());
}

TYPED_TEST(EventLogConformance, ABlockOfAnotherLogIsRefused) {
  testing::AppendBlocks(this->log(), this->chain_, 1, 5);
  testing::SampleChain other(2);
  other.Next(5);
  const EncodedBlock foreign = other.Next(5);

  const absl::Status status = this->log().Append(testing::SampleChain::Request(foreign));

  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("another log"));
  EXPECT_EQ(this->log().Tip(), Sequence(5));
}

TYPED_TEST(EventLogConformance, OwnershipPeriodsComeByPrefixInOrderAndInPages) {
  const std::vector<SideRow> rows = {{"w/2/a", "1"}, {"p/7/1", "2"}, {"p/7/3", "3"}, {"p/7/2", "4"}, {"p/70", "5"}};
  const EncodedBlock block = this->chain_.Next(1);
  ASSERT_TRUE(this->log().Append(testing::SampleChain::Request(block, &rows)).ok());
  const auto keys = [&](std::string_view prefix, std::string_view after, std::size_t limit) {
    std::vector<std::string> keys;
    const absl::StatusOr<std::vector<SideRow>> rows = this->log().OwnershipPeriods(prefix, after, limit);
    EXPECT_TRUE(rows.ok()) << rows.status();
    for (const SideRow& row : *rows) keys.push_back(row.key);
    return keys;
  };

  EXPECT_THAT(keys("p/7/", "", 10), ::testing::ElementsAre("p/7/1", "p/7/2", "p/7/3"));
  EXPECT_THAT(keys("p/7/", "", 2), ::testing::ElementsAre("p/7/1", "p/7/2"));
  EXPECT_THAT(keys("p/7/", "p/7/2", 2), ::testing::ElementsAre("p/7/3"));
  EXPECT_THAT(keys("p/7/", "p/7/3", 2), ::testing::ElementsAre());
  EXPECT_THAT(keys("p/7", "", 10), ::testing::ElementsAre("p/7/1", "p/7/2", "p/7/3", "p/70"));
  EXPECT_THAT(keys("x", "", 10), ::testing::ElementsAre());
  EXPECT_THAT(keys("", "", 10), ::testing::SizeIs(5));
  EXPECT_EQ(this->log().OwnershipPeriods("p/7/2", "", 1)->front().value, "4");
}

TYPED_TEST(EventLogConformance, ReadersSeeWholeBlocksWhileTheLogGrows) {
  constexpr std::uint64_t kLast = 600;
  std::atomic<bool> sound{true};
  std::thread reading([&] {
    auto reader = this->log().NewReader(Sequence(0));
    ChainVerifier verifier;
    BlockView view;
    while (sound && (!verifier.point().has_value() || verifier.point()->last.value() < kLast)) {
      absl::StatusOr<std::optional<StoredBlock>> block = (*reader)->Next();
      if (!block.ok()) sound = false;
      if (!block.ok() || !block->has_value()) continue;
      sound = (*block)->first <= this->log().Tip() && view.Parse((*block)->block, (*block)->bulk).ok() &&
              verifier.Check(view).ok();
    }
  });

  testing::AppendBlocks(this->log(), this->chain_, 200, 3);
  reading.join();

  EXPECT_TRUE(sound);
}

}  // namespace
}  // namespace holdfast
