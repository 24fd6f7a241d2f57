// The end of RocksDB's own log after a crash, or after somebody changed it: what may be dropped is dropped and told,
// what may not stops the start and is left as it is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "events/rocksdb_log.h"
#include "events/rocksdb_wal_check.h"
#include "tests/events/directory_listing.h"
#include "tests/events/sample_chain.h"
#include "tests/events/temporary_directory.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kSector = 512;

// A log of some blocks whose last ones end in one WAL; `sizes` are those of each block's two entries.
class WalTest : public ::testing::Test {
 protected:
  void Write(const std::vector<std::size_t>& sizes) {
    auto log = RocksDbLog::Open(original());
    ASSERT_TRUE(log.ok()) << log.status();
    testing::SampleChain chain;
    for (const std::size_t size : sizes) {
      ends_.push_back(std::filesystem::file_size(testing::LogFilesWithContent(original()).empty()
                                                     ? original() + "/CURRENT"
                                                     : testing::LogFilesWithContent(original()).back()));
      for (EncodedBlock& block : testing::AppendBlocks(**log, chain, 1, 2, size)) written_.push_back(std::move(block));
    }
    wal_ = testing::LogFilesWithContent(original()).back();
    content_ = testing::ReadFile(wal_);
  }

  std::string original() const { return directory_.File("log"); }
  // Where the write of the block begins in the WAL.
  std::size_t Begin(std::size_t block) const { return ends_[block]; }

  // A copy of the log whose WAL has this content, opened for writing.
  absl::StatusOr<std::unique_ptr<RocksDbLog>> OpenWith(const std::string& content) {
    const std::string copy = directory_.File("copy");
    std::filesystem::remove_all(copy);
    testing::CopyDirectory(original(), copy);
    testing::WriteFile(copy + "/" + std::filesystem::path(wal_).filename().string(), content);
    before_ = testing::ListDirectory(copy);
    auto log = RocksDbLog::Open(copy);
    if (!log.ok()) {
      EXPECT_EQ(testing::ListDirectory(copy), before_) << "a refused log was changed";
    }
    return log;
  }

  // Opens with this content and finds exactly the first `blocks` of what was written, and goes on from there.
  void ExpectBlocks(const std::string& content, std::size_t blocks, bool torn) {
    auto log = OpenWith(content);
    ASSERT_TRUE(log.ok()) << log.status();
    testing::ExpectSameBlocks(testing::ReadAll(**log), {written_.begin(), written_.begin() + blocks});
    ASSERT_EQ((*log)->torn_end().has_value(), torn);
    if (torn) {
      EXPECT_THAT(*(*log)->torn_end(), HasSubstr("after sequence " + std::to_string(2 * blocks)));
    }
    if (blocks < written_.size()) {
      EXPECT_TRUE((*log)->Append(testing::SampleChain::Request(written_[blocks])).ok());
    }
  }

  void ExpectRefused(const std::string& content, const std::string& place) {
    const absl::Status status = OpenWith(content).status();
    ASSERT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(place));
    EXPECT_THAT(std::string(status.message()), HasSubstr("holdfast-replay verify"));
  }

  testing::TemporaryDirectory directory_;
  std::vector<EncodedBlock> written_;
  std::vector<std::size_t> ends_;
  std::string wal_;
  std::string content_;
  testing::DirectoryListing before_;
};

TEST_F(WalTest, EveryCutOfTheLastWritesIsSeenAsOne) {
  Write({100, 100, 100, 17'000});

  for (std::size_t size = Begin(2); size < content_.size(); ++size) {
    const WalEnd end = CheckWalBytes("wal", std::string_view(content_).substr(0, size));

    const bool whole = size == Begin(2) || size == Begin(3);
    ASSERT_EQ(end.kind, whole ? WalEnd::Kind::kSound : WalEnd::Kind::kCut) << size;
    if (!whole) {
      ASSERT_EQ(end.offset, size < Begin(3) ? Begin(2) : Begin(3)) << size;
      ASSERT_EQ(end.lost_bytes, size - end.offset);
    }
  }
  EXPECT_EQ(CheckWalBytes("wal", content_).kind, WalEnd::Kind::kSound);
}

TEST_F(WalTest, ALogCutWithinItsLastWritesOpensWithWhatIsWholeAndSaysWhatWasTorn) {
  Write({100, 100, 100, 40'000});

  for (std::size_t size = Begin(2); size <= content_.size(); size += size < Begin(3) ? 29 : 11'003) {
    const std::size_t blocks = size < Begin(3) ? 2 : 3;
    ExpectBlocks(content_.substr(0, size), blocks, size != Begin(blocks));
    if (HasFatalFailure()) FAIL() << "cut at " << size;
  }
}

TEST_F(WalTest, AChangedByteInTheLastWriteIsNeverTakenForATornOne) {
  Write({100, 100, 40'000});

  for (std::size_t at = Begin(1); at < content_.size(); at += at < Begin(2) + 300 ? 1 : 97) {
    std::string changed = content_;
    changed[at] = static_cast<char>(changed[at] ^ 0x04);

    ASSERT_EQ(CheckWalBytes("wal", changed).kind, WalEnd::Kind::kChanged) << "byte " << at;
  }
}

TEST_F(WalTest, AChangedByteStopsTheStartWithTheSequenceAndChangesNothing) {
  Write({100, 100, 100, 100});

  for (const std::size_t block : {1, 2, 3}) {
    for (const std::size_t offset : {0, 4, 5, 6, 150}) {
      std::string changed = content_;
      changed[Begin(block) + offset] = static_cast<char>(changed[Begin(block) + offset] ^ 0x20);

      ExpectRefused(changed, "after sequence " + std::to_string(2 * block));
    }
  }
  std::string first = content_;
  first[100] = static_cast<char>(first[100] ^ 1);
  ExpectRefused(first, "before sequence 3");
}

TEST_F(WalTest, AHoleOfZerosBeforeAWholeWriteStopsTheStart) {
  Write({100, 2'000, 100});
  std::string punched = content_;
  const std::size_t sector = (Begin(1) + kSector) / kSector * kSector;
  punched.replace(sector, kSector, kSector, '\0');

  ExpectRefused(punched, "after sequence 2");
}

TEST_F(WalTest, SectorsOfTheLastWriteThatNeverReachedTheDiskAreATornEnd) {
  Write({100, 100, 40'000});
  const std::size_t first = Begin(2) / kSector * kSector;

  for (std::size_t sector = first; sector < content_.size(); sector += sector < first + 4 * kSector ? kSector : 7'680) {
    const std::size_t from = std::max(sector, Begin(2));
    const std::size_t size = std::min(sector + kSector, content_.size()) - from;
    std::string punched = content_;
    punched.replace(from, size, size, '\0');

    ExpectBlocks(punched, 2, true);
    if (HasFatalFailure()) FAIL() << "sector at " << sector;
  }
}

TEST_F(WalTest, ZerosBehindTheLastWriteAreNothing) {
  Write({100, 100});

  ExpectBlocks(content_ + std::string(3'000, '\0'), 2, false);
}

TEST_F(WalTest, AnEmptyNewestFileDoesNotHideTheTornOneBeforeIt) {
  Write({100, 100, 100});
  const std::string copy = directory_.File("copy");
  testing::CopyDirectory(original(), copy);
  testing::WriteFile(copy + "/" + std::filesystem::path(wal_).filename().string(),
                     content_.substr(0, content_.size() - 3));
  testing::WriteFile(copy + "/999990.log", "");

  const auto log = RocksDbLog::Open(copy);

  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_EQ((*log)->Tip(), Sequence(4));
  EXPECT_TRUE((*log)->torn_end().has_value());
}

TEST(WalBytes, NoBytesCrashTheCheck) {
  testing::SeededRandom random(3);

  for (int i = 0; i < 3'000; ++i) {
    std::string bytes = random.Bytes(random.Below(2'000));
    for (char& byte : bytes) {
      if (random.Below(3) == 0) byte = static_cast<char>(random.Below(5));  // types and lengths that may be
    }
    CheckWalBytes("wal", bytes);
  }
  EXPECT_EQ(CheckWalBytes("wal", "").kind, WalEnd::Kind::kSound);
}

}  // namespace
}  // namespace holdfast
