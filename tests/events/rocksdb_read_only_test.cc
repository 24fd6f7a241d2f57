// Reading a log that is not ours: stopped, or beside its writer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "events/chain_verifier.h"
#include "events/rocksdb_log.h"
#include "tests/events/directory_listing.h"
#include "tests/events/raw_database.h"
#include "tests/events/sample_chain.h"
#include "tests/events/temporary_directory.h"
#include "tests/events/writer_process.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<RocksDbLog> OpenForReading(const std::string& path) {
  auto log = RocksDbLog::OpenReadOnly(path);
  EXPECT_TRUE(log.ok()) << log.status();
  return log.ok() ? *std::move(log) : nullptr;
}

std::vector<EncodedBlock> WriteLog(const std::string& path, int blocks, std::size_t bytes = 60) {
  testing::SampleChain chain;
  auto log = RocksDbLog::Open(path);
  EXPECT_TRUE(log.ok()) << log.status();
  return testing::AppendBlocks(**log, chain, blocks, 4, bytes);
}

// Follows a log block by block with every hash checked.
class Follower {
 public:
  explicit Follower(const EventLog& log) : reader_(*log.NewReader(Sequence(0))) {}

  // Reads to the end of what is committed. The first error, or OK.
  absl::Status CatchUp() {
    while (true) {
      absl::StatusOr<std::optional<StoredBlock>> block = reader_->Next();
      if (!block.ok()) return block.status();
      if (!block->has_value()) return absl::OkStatus();
      if (absl::Status status = view_.Parse((*block)->block, (*block)->bulk); !status.ok()) return status;
      if (absl::Status status = verifier_.Check(view_); !status.ok()) return status;
      for (const EntryView& entry : view_.entries()) {
        if (entry.input_dropped) return absl::DataLossError("an input that nobody dropped is not there");
      }
    }
  }
  std::uint64_t last() const { return verifier_.point().has_value() ? verifier_.point()->last.value() : 0; }

 private:
  std::unique_ptr<BlockReader> reader_;
  ChainVerifier verifier_;
  BlockView view_;
};

TEST(RocksDbReadOnly, AStoppedLogIsReadAndNotOneByteIsChanged) {
  testing::TemporaryDirectory directory;
  const std::vector<EncodedBlock> written = WriteLog(directory.path(), 30);
  const testing::DirectoryListing before = testing::ListDirectory(directory.path());

  {
    const std::unique_ptr<RocksDbLog> log = OpenForReading(directory.path());
    ASSERT_NE(log, nullptr);
    EXPECT_EQ(log->Tip(), Sequence(120));
    testing::ExpectSameBlocks(testing::ReadAll(*log), written);
    EXPECT_TRUE(log->Refresh().ok());
  }

  EXPECT_EQ(testing::ListDirectory(directory.path()), before);
}

TEST(RocksDbReadOnly, ALogWhoseDirectoryMayNotBeWrittenIsRead) {
  testing::TemporaryDirectory directory;
  const std::vector<EncodedBlock> written = WriteLog(directory.path(), 3);
  chmod(directory.path().c_str(), 0500);

  const std::unique_ptr<RocksDbLog> log = OpenForReading(directory.path());

  ASSERT_NE(log, nullptr);
  testing::ExpectSameBlocks(testing::ReadAll(*log), written);
  chmod(directory.path().c_str(), 0700);
}

TEST(RocksDbReadOnly, TablesOfEveryLevelAreRead) {
  testing::TemporaryDirectory directory;
  const std::vector<EncodedBlock> written = WriteLog(directory.path(), 30, 5'000);
  testing::RawDatabase(directory.path()).Compact();

  const std::unique_ptr<RocksDbLog> log = OpenForReading(directory.path());

  ASSERT_NE(log, nullptr);
  testing::ExpectSameBlocks(testing::ReadAll(*log), written);
}

TEST(RocksDbReadOnly, ATornEndIsToldAndLeftAsItIs) {
  testing::TemporaryDirectory directory;
  const std::vector<EncodedBlock> written = WriteLog(directory.path(), 5);
  const std::string file = testing::LogFilesWithContent(directory.path()).back();
  const std::string content = testing::ReadFile(file);
  testing::WriteFile(file, content.substr(0, content.size() - 10));
  const testing::DirectoryListing before = testing::ListDirectory(directory.path());

  {
    const std::unique_ptr<RocksDbLog> log = OpenForReading(directory.path());
    ASSERT_NE(log, nullptr);
    EXPECT_EQ(log->Tip(), Sequence(16));
    ASSERT_TRUE(log->torn_end().has_value());
    EXPECT_THAT(*log->torn_end(), HasSubstr("after sequence 16"));
  }

  EXPECT_EQ(testing::ListDirectory(directory.path()), before);
}

TEST(RocksDbReadOnly, AppendingIsRefused) {
  testing::TemporaryDirectory directory;
  WriteLog(directory.path(), 1);
  const std::unique_ptr<RocksDbLog> log = OpenForReading(directory.path());
  testing::SampleChain chain;
  const EncodedBlock block = chain.Next(1);

  EXPECT_EQ(log->Append(testing::SampleChain::Request(block)).code(), absl::StatusCode::kFailedPrecondition);
}

TEST(RocksDbReadOnly, WhereThereIsNoLogItSaysSoAndMakesNone) {
  testing::TemporaryDirectory directory;

  EXPECT_EQ(RocksDbLog::OpenReadOnly(directory.path()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(RocksDbLog::OpenReadOnly(directory.File("nowhere")).status().code(), absl::StatusCode::kNotFound);

  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(RocksDbReadOnly, ALiveLogIsFollowedWithoutAFalseAlarm) {
  testing::TemporaryDirectory directory;
  testing::WriterProcess writer({.directory = directory.path()});
  ASSERT_TRUE(writer.AwaitAcknowledged(5)) << writer.refusal();
  const std::unique_ptr<RocksDbLog> log = OpenForReading(directory.path());
  ASSERT_NE(log, nullptr);
  Follower follower(*log);

  for (int round = 0; round < 30; ++round) {
    ASSERT_TRUE(writer.AwaitAcknowledged(20));
    const std::uint64_t acknowledged = writer.acknowledged();
    const absl::Status refreshed = log->Refresh();
    ASSERT_TRUE(refreshed.ok()) << refreshed;
    const absl::Status status = follower.CatchUp();
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_GE(follower.last(), acknowledged);
  }
}

TEST(RocksDbReadOnly, ALiveLogIsFollowedThroughFlushesAndCompactions) {
  testing::TemporaryDirectory directory;
  // 400 KB a block: its memtables fill every 200 blocks, so that tables come and logs go while it is read.
  testing::WriterProcess writer({.directory = directory.path(), .blocks = 700, .entry_bytes = 100'000});
  ASSERT_TRUE(writer.AwaitAcknowledged(5)) << writer.refusal();
  std::unique_ptr<RocksDbLog> log = OpenForReading(directory.path());
  ASSERT_NE(log, nullptr);
  Follower follower(*log);

  for (bool running = true; running;) {
    running = writer.AwaitAcknowledged(50);
    const std::uint64_t acknowledged = writer.acknowledged();
    const absl::Status refreshed = log->Refresh();
    ASSERT_TRUE(refreshed.ok()) << refreshed;
    const absl::Status status = follower.CatchUp();
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_GE(follower.last(), acknowledged);
    const std::unique_ptr<RocksDbLog> fresh = OpenForReading(directory.path());
    ASSERT_NE(fresh, nullptr);
    ASSERT_GE(fresh->Tip(), Sequence(acknowledged));
  }
  EXPECT_EQ(follower.last(), 2'800u);
}

TEST(RocksDbReadOnly, AKilledWritersLogIsReadUpToItsLastAcknowledgement) {
  testing::TemporaryDirectory directory;
  testing::WriterProcess writer({.directory = directory.path(), .entry_bytes = 30'000});
  ASSERT_TRUE(writer.AwaitAcknowledged(30)) << writer.refusal();
  writer.Kill();
  const testing::DirectoryListing before = testing::ListDirectory(directory.path());

  {
    const std::unique_ptr<RocksDbLog> log = OpenForReading(directory.path());
    ASSERT_NE(log, nullptr);
    EXPECT_GE(log->Tip(), Sequence(writer.acknowledged()));
    Follower follower(*log);
    EXPECT_TRUE(follower.CatchUp().ok());
  }

  EXPECT_EQ(testing::ListDirectory(directory.path()), before);
}

}  // namespace
}  // namespace holdfast
