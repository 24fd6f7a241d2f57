// One altered constant in each file of rules: a program that decides with it finds that the log was decided otherwise.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "events/rocksdb_log.h"
#include "tests/events/temporary_directory.h"
#include "tests/replay/log_maker.h"
#include "tests/replay/run_program.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

// The story on disk, written with the true rules.
class TrueRules : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new testing::TemporaryDirectory();
    auto log = RocksDbLog::Open(directory_->path(), {.sync = false});  // nothing crashes here
    ASSERT_TRUE(log.ok()) << log.status();
    testing::LogMaker maker(**log);
    testing::WriteStory(maker);
  }
  static void TearDownTestSuite() {
    delete directory_;
    directory_ = nullptr;
  }
  static testing::TemporaryDirectory* directory_;
};
testing::TemporaryDirectory* TrueRules::directory_ = nullptr;

class AlteredRules : public TrueRules, public ::testing::WithParamInterface<std::string> {};

std::vector<std::string> AlteredPrograms() {
  std::vector<std::string> programs;
  std::istringstream list(HOLDFAST_ALTERED_PROGRAMS);
  for (std::string program; std::getline(list, program, ':');) programs.push_back(program);
  return programs;
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
  return info.param.substr(info.param.rfind('/') + sizeof "/replay_altered_" - 1);
}

TEST_P(AlteredRules, AreFoundByDecidingAgain) {
  const testing::Ended ended = testing::RunProgram(GetParam() + " verify " + directory_->path());

  EXPECT_EQ(ended.exit, 1) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("FOUND WANTING at sequence "));
  EXPECT_THAT(ended.output, HasSubstr("(decision)"));
}

TEST_F(TrueRules, FindNothing) {
  const testing::Ended ended =
      testing::RunProgram(std::string(HOLDFAST_REPLAY_PROGRAM) + " verify " + directory_->path());

  EXPECT_EQ(ended.exit, 0) << ended.output;
}

TEST(AlteredRulesList, HoldsEveryFileOfDecisions) {
  const std::vector<std::string> programs = AlteredPrograms();

  // Each of decide_*.cc and the checksum; a new file of rules without a constant to alter makes this fail.
  for (const char* file : {HOLDFAST_DECIDE_FILES}) {
    const std::string program = "/replay_altered_" + std::string(file);
    EXPECT_TRUE(
        std::any_of(programs.begin(), programs.end(), [&](const std::string& path) { return path.ends_with(program); }))
        << file << " names no RuleConstant";
  }
}

INSTANTIATE_TEST_SUITE_P(EachFile, AlteredRules, ::testing::ValuesIn(AlteredPrograms()), NameOf);

}  // namespace
}  // namespace holdfast
