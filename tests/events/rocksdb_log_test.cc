#include "events/rocksdb_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/little_endian.h"
#include "events/chain_verifier.h"
#include "tests/events/directory_listing.h"
#include "tests/events/raw_database.h"
#include "tests/events/sample_chain.h"
#include "tests/events/temporary_directory.h"
#include "tests/events/writer_process.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<RocksDbLog> OpenLog(const std::string& path) {
  auto log = RocksDbLog::Open(path);
  EXPECT_TRUE(log.ok()) << log.status();
  return log.ok() ? *std::move(log) : nullptr;
}

// Folds the log as recovery does: the first error, or OK.
absl::Status VerifyAll(const EventLog& log) {
  auto reader = log.NewReader(Sequence(0));
  if (!reader.ok()) return reader.status();
  ChainVerifier verifier;
  BlockView view;
  while (true) {
    absl::StatusOr<std::optional<StoredBlock>> block = (*reader)->Next();
    if (!block.ok()) return block.status();
    if (!block->has_value()) return absl::OkStatus();
    if (absl::Status status = view.Parse((*block)->block, (*block)->bulk); !status.ok()) return status;
    if (absl::Status status = verifier.Check(view); !status.ok()) return status;
  }
}

TEST(RocksDbLog, IsThereAgainAfterReopeningAndGoesOn) {
  testing::TemporaryDirectory directory;
  testing::SampleChain chain;
  std::vector<EncodedBlock> written;

  for (int round = 0; round < 4; ++round) {
    const std::unique_ptr<RocksDbLog> log = OpenLog(directory.path());
    ASSERT_EQ(log->Tip(), Sequence(static_cast<std::uint64_t>(round) * 30));
    EXPECT_EQ(log->log_id().has_value(), round > 0);
    for (EncodedBlock& block : testing::AppendBlocks(*log, chain, 10)) written.push_back(std::move(block));
  }

  const std::unique_ptr<RocksDbLog> log = OpenLog(directory.path());
  EXPECT_EQ(log->log_id(), chain.log_id());
  EXPECT_FALSE(log->torn_end().has_value());
  testing::ExpectSameBlocks(testing::ReadAll(*log), written);
  EXPECT_TRUE(VerifyAll(*log).ok());
}

TEST(RocksDbLog, MakesItsDirectory) {
  testing::TemporaryDirectory directory;

  const std::unique_ptr<RocksDbLog> log = OpenLog(directory.File("a/b/log"));

  ASSERT_NE(log, nullptr);
  EXPECT_TRUE(std::filesystem::is_directory(directory.File("a/b/log")));
}

TEST(RocksDbLog, APathThatIsNoDirectoryIsRefusedByName) {
  testing::TemporaryDirectory directory;
  testing::WriteFile(directory.File("file"), "x");

  const absl::Status status = RocksDbLog::Open(directory.File("file")).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr(directory.File("file")));
}

TEST(RocksDbLog, ALogThatAnotherProcessHoldsIsRefusedWithItsNumber) {
  testing::TemporaryDirectory directory;
  testing::WriterProcess writer({.directory = directory.path()});
  ASSERT_TRUE(writer.AwaitAcknowledged(1)) << writer.refusal();

  const absl::Status status = RocksDbLog::Open(directory.path()).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr(directory.path()));
  EXPECT_THAT(std::string(status.message()), HasSubstr("is held by process " + std::to_string(writer.id())));
  EXPECT_TRUE(writer.AwaitAcknowledged(10));
}

TEST(RocksDbLog, OpeningItTwiceIsRefusedAndTheFirstKeepsTheLock) {
  testing::TemporaryDirectory directory;
  const std::unique_ptr<RocksDbLog> log = OpenLog(directory.path());

  const absl::Status status = RocksDbLog::Open(directory.path()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);

  testing::WriterProcess other({.directory = directory.path()});
  EXPECT_FALSE(other.AwaitAcknowledged(1));
  EXPECT_THAT(other.refusal(), HasSubstr("is held by process " + std::to_string(getpid())));
}

TEST(RocksDbLog, AMissingBlockStopsTheReaderWithItsSequence) {
  testing::TemporaryDirectory directory;
  testing::SampleChain chain;
  const std::vector<EncodedBlock> written = testing::AppendBlocks(*OpenLog(directory.path()), chain, 12);

  for (const std::size_t missing : {0, 1, 5, 10}) {
    testing::TemporaryDirectory copies;
    testing::CopyDirectory(directory.path(), copies.File("log"));
    testing::RawDatabase(copies.File("log")).Delete("blocks", testing::KeyOf(written[missing].first));

    const absl::Status status = VerifyAll(*OpenLog(copies.File("log")));

    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("block at sequence " + std::to_string(written[missing].first.value()) + " is missing"));
  }
}

TEST(RocksDbLog, AChangedByteOfABlockIsFoundWithItsSequence) {
  testing::TemporaryDirectory directory;
  testing::SampleChain chain;
  const std::vector<EncodedBlock> written = testing::AppendBlocks(*OpenLog(directory.path()), chain, 6);
  std::string changed = written[3].block;
  changed[changed.size() - 50] ^= 1;  // in the last entry, sequence 12
  testing::RawDatabase(directory.path()).Put("blocks", testing::KeyOf(written[3].first), changed);

  const absl::Status status = VerifyAll(*OpenLog(directory.path()));

  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("entry 12:"));
}

TEST(RocksDbLog, BytesThatAreNoBlockStopTheReaderWithTheSequence) {
  testing::TemporaryDirectory directory;
  testing::SampleChain chain;
  const std::vector<EncodedBlock> written = testing::AppendBlocks(*OpenLog(directory.path()), chain, 6);
  testing::RawDatabase(directory.path()).Put("blocks", testing::KeyOf(written[3].first), "garbage");

  const absl::Status status = VerifyAll(*OpenLog(directory.path()));

  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);  // its first bytes name a format
  EXPECT_THAT(std::string(status.message()), HasSubstr("block at sequence 10"));
}

TEST(RocksDbLog, AChangedByteInATableIsFoundWithTheSequence) {
  testing::TemporaryDirectory directory;
  testing::SampleChain chain;
  testing::AppendBlocks(*OpenLog(directory.path()), chain, 40, 4, 20'000);
  testing::RawDatabase(directory.path()).Compact();
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    if (entry.path().extension() != ".sst" || entry.file_size() < 1'000'000) continue;
    std::string content = testing::ReadFile(entry.path());
    content[content.size() / 2] ^= 1;
    testing::WriteFile(entry.path(), content);
  }

  const absl::Status status = VerifyAll(*OpenLog(directory.path()));

  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("block at sequence "));
}

TEST(RocksDbLog, DroppedBulkValuesDoNotBreakTheChain) {
  testing::TemporaryDirectory directory;
  testing::SampleChain chain;
  const std::vector<EncodedBlock> written = testing::AppendBlocks(*OpenLog(directory.path()), chain, 10);
  {
    testing::RawDatabase raw(directory.path());
    for (int i = 0; i < 6; ++i) raw.Delete("bulk", testing::KeyOf(written[i].first));
  }

  const std::unique_ptr<RocksDbLog> log = OpenLog(directory.path());

  EXPECT_TRUE(VerifyAll(*log).ok());
  const std::vector<StoredBlock> read = testing::ReadAll(*log);
  EXPECT_TRUE(read[5].bulk.empty());
  EXPECT_TRUE(read[6].bulk == written[6].bulk);
}

TEST(RocksDbLog, ALogOfANewerFormatIsRefused) {
  testing::TemporaryDirectory directory;
  testing::SampleChain chain;
  testing::AppendBlocks(*OpenLog(directory.path()), chain, 2);
  std::string format;
  AppendLittleEndian(std::uint32_t{2}, &format);
  testing::RawDatabase(directory.path()).Put("meta", "format", format);

  const absl::Status status = RocksDbLog::Open(directory.path()).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("has format 2"));
}

TEST(RocksDbLog, ALogWithAColumnFamilyOfANewerProgramIsRefusedUntouched) {
  testing::TemporaryDirectory directory;
  testing::SampleChain chain;
  testing::AppendBlocks(*OpenLog(directory.path()), chain, 2);
  testing::RawDatabase(directory.path()).CreateFamily("from_the_future");
  const testing::DirectoryListing before = testing::ListDirectory(directory.path());

  const absl::Status status = RocksDbLog::Open(directory.path()).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("from_the_future"));
  EXPECT_EQ(testing::ListDirectory(directory.path()), before);
}

TEST(RocksDbLog, ALostMetaIsRefused) {
  testing::TemporaryDirectory directory;
  testing::SampleChain chain;
  testing::AppendBlocks(*OpenLog(directory.path()), chain, 2);
  testing::RawDatabase(directory.path()).Delete("meta", "log_id");

  const absl::Status status = RocksDbLog::Open(directory.path()).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("log_id"));
}

TEST(RocksDbLog, ALostFileCurrentDoesNotBecomeANewLog) {
  testing::TemporaryDirectory directory;
  testing::SampleChain chain;
  testing::AppendBlocks(*OpenLog(directory.path()), chain, 2);
  std::filesystem::remove(directory.File("CURRENT"));
  const testing::DirectoryListing before = testing::ListDirectory(directory.path());

  const absl::Status status = RocksDbLog::Open(directory.path()).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("CURRENT"));
  EXPECT_EQ(testing::ListDirectory(directory.path()), before);
}

TEST(RocksDbLog, KnowsRoughlyHowMuchItHolds) {
  testing::TemporaryDirectory directory;
  testing::SampleChain chain;
  const std::unique_ptr<RocksDbLog> log = OpenLog(directory.path());
  const std::uint64_t empty = log->SizeBytes();

  testing::AppendBlocks(*log, chain, 20, 4, 10'000);

  EXPECT_GE(log->SizeBytes(), empty + 20 * 4 * 10'000);
}

TEST(RocksDbLogKill, TwentyKillsLoseNothingThatWasAcknowledged) {
  testing::TemporaryDirectory directory;
  testing::SeededRandom random(5);

  for (std::uint64_t kill = 0; kill < 20; ++kill) {
    testing::WriterProcess writer({.directory = directory.path(), .entry_bytes = kill < 10 ? 200u : 20'000u});
    ASSERT_TRUE(writer.AwaitAcknowledged(1 + random.Below(60))) << writer.refusal();
    writer.Kill();

    const std::unique_ptr<RocksDbLog> log = OpenLog(directory.path());
    ASSERT_NE(log, nullptr);
    ASSERT_GE(log->Tip(), Sequence(writer.acknowledged()));
    ASSERT_LE(log->Tip().value(), writer.acknowledged() + 4) << "at most one block that nobody was told of";
    const absl::Status status = VerifyAll(*log);
    ASSERT_TRUE(status.ok()) << status;
    if (kill == 9) std::filesystem::remove_all(directory.path());  // larger entries from here on: another chain
  }
}

}  // namespace
}  // namespace holdfast
