// The power fails at any moment: every acknowledged block is there again, whole and in order. And the test can fail:
// without syncing it finds blocks lost.

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "events/chain_verifier.h"
#include "events/rocksdb_log.h"
#include "tests/events/crash_environment.h"
#include "tests/events/sample_chain.h"
#include "tests/events/temporary_directory.h"
#include "tests/events/unsynced_file_system.h"

namespace holdfast {
namespace {

constexpr int kBlocks = 50;

// One log over many crashes, and what its clients were told.
class CrashingLog {
 public:
  CrashingLog(std::uint64_t seed, bool sync) : random_(seed), chain_(seed), sync_(sync) {}

  // Runs until the power fails at the n-th change of the disk, or `blocks` are appended. The number of changes made.
  std::uint64_t RunUntilCrash(std::uint64_t fail_at, int blocks) {
    const auto disk = std::make_shared<testing::UnsyncedFileSystem>(scratch_.path());
    disk->FailAt(fail_at);
    {
      testing::CrashEnvironment environment(disk);
      auto log = RocksDbLog::Open(directory_.File("log"), Options(&environment));
      if (!log.ok() && !disk->crashed()) problem_ = std::string(log.status().message());
      if (log.ok()) Append(**log, blocks);
    }
    const std::uint64_t changes = disk->changes();
    disk->Crash(random_);
    return changes;
  }

  // Opens the log on a sound disk and compares. What is wrong; empty: nothing.
  std::string Check() {
    const auto disk = std::make_shared<testing::UnsyncedFileSystem>(scratch_.path());
    testing::CrashEnvironment environment(disk);
    auto log = RocksDbLog::Open(directory_.File("log"), Options(&environment));
    if (!problem_.empty()) return problem_;
    if (!log.ok()) return std::string(log.status().message());
    return Compare(**log);
  }

  int torn_ends() const { return torn_ends_; }
  int appended_but_not_told() const { return appended_but_not_told_; }

 private:
  RocksDbLogOptions Options(rocksdb::Env* environment) const {
    RocksDbLogOptions options;
    options.memtable_bytes = 64 << 10;  // a table every dozen blocks: flushes, new logs and compactions on the way
    options.environment = environment;
    options.sync = sync_;
    return options;
  }

  void Append(RocksDbLog& log, int blocks) {
    for (int i = 0; i < blocks; ++i) {
      if (written_.empty() || written_.back().last <= log.Tip()) {
        written_.push_back(chain_.Next(static_cast<std::uint32_t>(1 + random_.Below(5)),
                                       random_.Below(8) == 0 ? 20'000 : random_.Below(900)));
      }
      if (!log.Append(testing::SampleChain::Request(written_.back())).ok()) return;
      acknowledged_ = written_.back().last;
    }
  }

  std::string Compare(const RocksDbLog& log) {
    if (log.torn_end().has_value()) ++torn_ends_;
    auto reader = log.NewReader(Sequence(0));
    if (!reader.ok()) return std::string(reader.status().message());
    Sequence last;
    for (const EncodedBlock& block : written_) {
      absl::StatusOr<std::optional<StoredBlock>> read = (*reader)->Next();
      if (!read.ok()) return std::string(read.status().message());
      if (!read->has_value()) break;
      if ((*read)->block != block.block || (*read)->bulk != block.bulk) {
        return "block at sequence " + std::to_string(block.first.value()) + " is another one";
      }
      last = block.last;
    }
    if (last != log.Tip()) return "the tip is not the end of the last block";
    if (last < acknowledged_) {
      return "acknowledged up to " + std::to_string(acknowledged_.value()) + ", there up to " +
             std::to_string(last.value());
    }
    if (last > acknowledged_) ++appended_but_not_told_;
    acknowledged_ = last;  // whoever opened it has now seen it
    return "";
  }

  testing::TemporaryDirectory directory_;
  testing::TemporaryDirectory scratch_;
  testing::SeededRandom random_;
  testing::SampleChain chain_;
  const bool sync_;
  std::vector<EncodedBlock> written_;
  Sequence acknowledged_;
  std::string problem_;
  int torn_ends_ = 0;
  int appended_but_not_told_ = 0;
};

// How often the disk is changed by a run that no crash ends.
std::uint64_t ChangesOfAWholeRun(bool sync) { return CrashingLog(1, sync).RunUntilCrash(UINT64_MAX, kBlocks); }

// More of them once in a while: HOLDFAST_CRASH_SEEDS=1000.
std::uint64_t Seeds() {
  const char* seeds = std::getenv("HOLDFAST_CRASH_SEEDS");
  return seeds == nullptr ? 60 : std::stoull(seeds);
}

TEST(Crash, EveryAcknowledgedBlockIsThereWheneverThePowerFails) {
  const std::uint64_t changes = ChangesOfAWholeRun(true);
  const std::uint64_t seeds = Seeds();
  int torn_ends = 0, not_told = 0;

  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CrashingLog log(seed, true);
    testing::SeededRandom random(seed + 1'000);
    // Spread over the run, and then again: also while it recovers from the crash before.
    std::uint64_t fail_at = 1 + changes * (seed - 1) / seeds + random.Below(changes / seeds + 1);
    for (int crash = 0; crash < 3; ++crash) {
      log.RunUntilCrash(fail_at, kBlocks);
      const std::string problem = crash == 1 ? "" : log.Check();  // the second crash meets what the first one left
      ASSERT_EQ(problem, "") << "seed " << seed << ", crash " << crash << " at change " << fail_at;
      fail_at = 1 + random.Below(changes / 2);
    }
    torn_ends += log.torn_ends();
    not_told += log.appended_but_not_told();
  }

  EXPECT_GT(torn_ends, 0) << "no crash tore a write: the test does not reach what it is for";
  EXPECT_GT(not_told, 0) << "no crash came between the write and its acknowledgement";
}

TEST(Crash, WithoutSyncingTheSameTestFindsBlocksLost) {
  const std::uint64_t changes = ChangesOfAWholeRun(false);
  int losses = 0;

  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CrashingLog log(seed, false);
    log.RunUntilCrash(changes / 2 + changes * seed / 40, kBlocks);  // the first half makes the empty log
    if (!log.Check().empty()) ++losses;
  }

  EXPECT_GT(losses, 10);
}

}  // namespace
}  // namespace holdfast
