// The tool as a whole, on logs on disk: stopped, live, damaged, absent.

#include "replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "events/memory_log.h"
#include "events/rocksdb_log.h"
#include "holdfast/log/v1/event.pb.h"
#include "tests/events/directory_listing.h"
#include "tests/events/raw_database.h"
#include "tests/events/temporary_directory.h"
#include "tests/replay/log_maker.h"
#include "tests/replay/replay_fixture.h"
#include "tests/replay/run_program.h"

namespace holdfast {
namespace {

using replay::ReplayExit;
using testing::Caught;
using ::testing::HasSubstr;

struct Said {
  ReplayExit exit;
  std::string out, errors;
};

Said Replay(const std::vector<std::string>& arguments) {
  Caught caught;
  const ReplayExit exit = replay::RunReplay(arguments, caught.environment);
  return {exit, caught.out.str(), caught.errors.str()};
}

std::unique_ptr<RocksDbLog> OpenForWriting(const std::string& path) {
  auto log = RocksDbLog::Open(path, {.sync = false});
  EXPECT_TRUE(log.ok()) << log.status();
  return *std::move(log);
}

void WriteStoryTo(const std::string& path) {
  const std::unique_ptr<RocksDbLog> log = OpenForWriting(path);
  testing::LogMaker maker(*log);
  testing::WriteStory(maker);
}

TEST(ReplayTool, EveryCommandReadsAStoppedLogAndChangesNotOneByte) {
  testing::TemporaryDirectory directory;
  WriteStoryTo(directory.path());
  const testing::DirectoryListing before = testing::ListDirectory(directory.path());

  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"info", directory.path()},
                                             {"log", directory.path(), "--worker", "gw-1"},
                                             {"verify", directory.path()},
                                             {"state", directory.path(), "--at", "50"},
                                             {"ownership", directory.path(), "--proxy", "alpha1"}}) {
    const Said said = Replay(arguments);
    EXPECT_EQ(said.exit, ReplayExit::kSound) << arguments[0] << ": " << said.errors << said.out;
    EXPECT_FALSE(said.out.empty());
  }

  EXPECT_EQ(testing::ListDirectory(directory.path()), before);
}

TEST(ReplayTool, TheDataDirectoryAboveTheLogIsTakenAsWell) {
  testing::TemporaryDirectory directory;
  WriteStoryTo(directory.path() + "/log");

  const Said said = Replay({"verify", directory.path()});

  EXPECT_EQ(said.exit, ReplayExit::kSound) << said.errors;
}

TEST(ReplayTool, ALiveWriterGoesOnWhileVerifyRunsAndNobodyIsDisturbed) {
  testing::TemporaryDirectory directory;
  const std::unique_ptr<RocksDbLog> log = OpenForWriting(directory.path());
  testing::LogMaker maker(*log);
  testing::WriteReports(maker, 2'000);
  std::atomic<bool> verified = false;

  // Writes on for as long as the verification takes, and some more.
  std::uint64_t written_beside = 0;
  Said said{ReplayExit::kCouldNotRun, "", ""};
  std::thread reader([&] {
    for (int round = 0; round < 3; ++round) {
      said = Replay({"verify", directory.path()});
      if (said.exit != ReplayExit::kSound) break;
    }
    verified = true;
  });
  while (!verified) {
    maker.Live({"gw-1", "gw-2", "gw-3"}, 1);
    ++written_beside;
  }
  reader.join();

  EXPECT_EQ(said.exit, ReplayExit::kSound) << said.errors << said.out;
  EXPECT_GT(written_beside, 0u);
  maker.Live({"gw-1"}, 2);
  EXPECT_EQ(Replay({"verify", directory.path()}).exit, ReplayExit::kSound);
}

TEST(ReplayTool, OneByteThatWasChangedInTheDatabaseIsFoundWithItsBlock) {
  testing::TemporaryDirectory directory;
  WriteStoryTo(directory.path());
  const StoredBlock& block = testing::ToldStory().blocks[11];
  std::string changed = block.block;
  changed[changed.size() - 60] ^= 1;
  {
    testing::RawDatabase database(directory.path());
    database.Put("blocks", testing::KeyOf(block.first), changed);
  }

  const Said said = Replay({"verify", directory.path()});

  EXPECT_EQ(said.exit, ReplayExit::kFoundWanting);
  EXPECT_THAT(said.out, HasSubstr("FOUND WANTING at sequence " + std::to_string(block.first.value())));
}

TEST(ReplayTool, ABlockThatWasDeletedFromTheDatabaseIsFound) {
  testing::TemporaryDirectory directory;
  WriteStoryTo(directory.path());
  const Sequence first = testing::ToldStory().blocks[11].first;
  {
    testing::RawDatabase database(directory.path());
    database.Delete("blocks", testing::KeyOf(first));
  }

  const Said said = Replay({"verify", directory.path()});

  EXPECT_EQ(said.exit, ReplayExit::kFoundWanting);
  EXPECT_THAT(said.out, HasSubstr("FOUND WANTING at sequence " + std::to_string(first.value())));
}

TEST(ReplayTool, EventsThatNoStateCanFoldAreFoundWithTheirSequence) {
  testing::TemporaryDirectory directory;
  {
    // All hashes fit, the rules are said to be another version's, and the routings jump to a revision.
    MemoryLog log;
    testing::LogMaker maker(log);
    maker.Start();
    testing::BlockList forged(log);
    testing::Forge(forged, [](DecodedBlock& block) {
      for (StoredEntry& entry : block.entries) {
        if (entry.sequence != Sequence(1)) continue;
        log::v1::Events events;
        ASSERT_TRUE(events.ParseFromString(entry.events));
        events.mutable_events(1)->mutable_controller_started()->set_rules_version(99);
        events.add_events()->mutable_routings_applied()->set_revision(7);
        entry.events = events.SerializeAsString();
        log::v1::Input input;
        ASSERT_TRUE(input.ParseFromString(entry.input));
        input.mutable_start_controller()->set_rules_version(99);
        entry.input = input.SerializeAsString();
      }
    });
    const std::unique_ptr<RocksDbLog> copy = OpenForWriting(directory.path());
    const StoredBlock& block = forged.blocks[0];
    ASSERT_TRUE(copy->Append({.follows = Sequence(0),
                              .first = Sequence(1),
                              .last = testing::LastOf(block),
                              .block = block.block,
                              .bulk = block.bulk,
                              .ownership_periods = nullptr})
                    .ok());
  }

  // The process ends at once and leaves its temporary folder, so it gets one that goes with the test.
  const testing::Ended ended =
      testing::RunProgram("TMPDIR=" + directory.path() + " " + HOLDFAST_REPLAY_PROGRAM + " verify " + directory.path());

  EXPECT_EQ(ended.exit, 1) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("FOUND WANTING at sequence 1 "));
}

TEST(ReplayTool, UsageAndAbsentLogsAreToldAndNothingIsMade) {
  testing::TemporaryDirectory directory;
  const testing::DirectoryListing before = testing::ListDirectory(directory.path());

  EXPECT_EQ(Replay({}).exit, ReplayExit::kCouldNotRun);
  EXPECT_EQ(Replay({"verify"}).exit, ReplayExit::kCouldNotRun);
  EXPECT_EQ(Replay({"guess", directory.path()}).exit, ReplayExit::kCouldNotRun);
  EXPECT_EQ(Replay({"state", directory.path(), "--at", "yesterday"}).exit, ReplayExit::kCouldNotRun);
  EXPECT_EQ(Replay({"ownership", directory.path()}).exit, ReplayExit::kCouldNotRun);
  const Said absent = Replay({"verify", directory.path() + "/nowhere"});
  EXPECT_EQ(absent.exit, ReplayExit::kCouldNotRun);
  EXPECT_THAT(absent.errors, HasSubstr("There is no directory"));
  EXPECT_EQ(testing::ListDirectory(directory.path()), before);
}

TEST(ReplayTool, HelpIsNoError) {
  const Said said = Replay({"--help"});

  EXPECT_EQ(said.exit, ReplayExit::kSound);
  for (const char* command : {"info", "log", "verify", "state", "snapshot", "ownership"}) {
    EXPECT_THAT(said.out, HasSubstr(command));
  }
}

}  // namespace
}  // namespace holdfast
