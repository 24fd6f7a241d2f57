#include "events/log_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <iostream>

#include "events/rocksdb_log.h"
#include "tests/events/raw_database.h"
#include "tests/events/sample_chain.h"
#include "tests/events/temporary_directory.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

void LimitDescriptors(rlim_t soft, rlim_t hard) {
  const rlimit limit{.rlim_cur = soft, .rlim_max = hard};
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(99);
}

// The limits are those of a process: each of these runs in one of its own and says on stderr what it found.
class DescriptorDeathTest : public ::testing::Test {
 protected:
  DescriptorDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(DescriptorDeathTest, TheSoftLimitIsRaisedToTheHardOne) {
  EXPECT_EXIT(
      {
        LimitDescriptors(200, 300);
        const absl::StatusOr<DescriptorBudget> budget = RaiseDescriptorLimit();
        rlimit now{};
        getrlimit(RLIMIT_NOFILE, &now);
        std::cerr << budget.ok() << ' ' << budget->limit << ' ' << now.rlim_cur << ' '
                  << budget->log_tables + budget->connections + 48;
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "1 300 300 300");
}

TEST_F(DescriptorDeathTest, TooFewAreRefusedWithWhatIsNeeded) {
  EXPECT_EXIT(
      {
        LimitDescriptors(100, 100);
        std::cerr << RaiseDescriptorLimit().status();
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "may open 100 files.* need 128 .*ulimit -n");
}

TEST_F(DescriptorDeathTest, ALogOfManyTablesIsReadWithFewDescriptors) {
  testing::TemporaryDirectory directory;
  testing::SampleChain chain;
  testing::AppendBlocks(**RocksDbLog::Open(directory.path()), chain, 300, 4, 10'000);
  testing::RawDatabase(directory.path()).CompactIntoSmallTables();
  std::ptrdiff_t tables = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    tables += entry.path().extension() == ".sst" ? 1 : 0;
  }
  ASSERT_GT(tables, 150);

  EXPECT_EXIT(
      {
        LimitDescriptors(128, 128);
        const absl::StatusOr<DescriptorBudget> budget = RaiseDescriptorLimit();
        RocksDbLogOptions options;
        options.open_tables = budget->log_tables;
        auto log = RocksDbLog::Open(directory.path(), options);
        std::cerr << log.status() << ' ' << (log.ok() ? testing::ReadAll(**log).size() : 0) << " blocks";
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "OK 300 blocks");
}

TEST(LogDirectory, FreeSpaceIsThatOfTheFileSystem) {
  testing::TemporaryDirectory directory;

  const absl::StatusOr<std::uint64_t> free = FreeDiskBytes(directory.path());

  ASSERT_TRUE(free.ok()) << free.status();
  EXPECT_GT(*free, 0u);
  EXPECT_LE(*free, std::filesystem::space(directory.path()).capacity);
}

TEST(LogDirectory, FreeSpaceOfNowhereIsAnErrorWithThePath) {
  const absl::StatusOr<std::uint64_t> free = FreeDiskBytes("/nowhere/at/all");

  EXPECT_THAT(std::string(free.status().message()), HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace holdfast
