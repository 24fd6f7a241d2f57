// The program holdfast-sim: what it prints, its exit codes, and that the tools open the log that it writes.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/events/temporary_directory.h"

namespace holdfast::simulation {
namespace {

struct Ran {
  std::string out;
  int exit_code = -1;
};

Ran RunShell(const std::string& command) {
  Ran ran;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) ran.out.append(buffer.data(), got);
  ran.exit_code = WEXITSTATUS(pclose(pipe));
  return ran;
}

Ran RunSim(const std::string& arguments) { return RunShell(HOLDFAST_SIM_PROGRAM " " + arguments + " 2>/dev/null"); }

TEST(SimProgram, SaysSeedRatesAndWhatWasReached) {
  const Ran ran = RunSim("--seed 7 --steps 200");
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
  for (const char* part : {"seed 7, 200 steps", "fault rates", "session_opened", "sound\n"}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << part;
  }
}

TEST(SimProgram, JsonIsOneObject) {
  const Ran ran = RunSim("--seeds 1..3 --steps 100 --json");
  ASSERT_EQ(ran.exit_code, 0) << ran.out;
  const nlohmann::json json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["runs"], 3);
  EXPECT_EQ(json["sound"], true);
  EXPECT_GT(json["reached"]["event"]["session_opened"], 0);
}

TEST(SimProgram, UsageIsExitCodeTwo) {
  EXPECT_EQ(RunSim("--steps 0").exit_code, 2);
  EXPECT_EQ(RunSim("--seeds 5").exit_code, 2);
  EXPECT_EQ(RunSim("--seeds 5..1").exit_code, 2);
  EXPECT_EQ(RunSim("--sed 5").exit_code, 2);
}

TEST(SimProgram, TheReplayToolOpensAndVerifiesTheLogThatItWrites) {
  const holdfast::testing::TemporaryDirectory folder;
  const std::string log = folder.path() + "/log";
  ASSERT_EQ(RunSim("--seed 8 --steps 300 --log " + log).exit_code, 0);
  const Ran verified = RunShell(HOLDFAST_REPLAY_PROGRAM " verify " + log + " 2>&1");
  EXPECT_EQ(verified.exit_code, 0) << verified.out;
}

// Time-boxed, from a seed that is drawn and printed: each run of the tests sees other worlds.
TEST(SimProgram, TwentySecondsOfNewSeedsAreSound) {
  const Ran ran = RunSim("--seconds 20 --steps 1500");
  std::cout << ran.out.substr(0, ran.out.find('\n') + 1);
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
}

}  // namespace
}  // namespace holdfast::simulation
