// Every golden story of this folder, run again: the same commands must give the same entries, word for word.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/scenarios/scenario.h"

namespace holdfast::testing {
namespace {

std::vector<std::string> Stories() {
  std::vector<std::string> stories;
  for (const auto& file : std::filesystem::directory_iterator(HOLDFAST_SOURCE_DIR "/tests/scenarios")) {
    if (file.path().extension() == ".txt") stories.push_back(file.path().stem());
  }
  std::sort(stories.begin(), stories.end());
  return stories;
}

std::string PathOf(const std::string& story) { return HOLDFAST_SOURCE_DIR "/tests/scenarios/" + story + ".txt"; }

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class GoldenStory : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenStory, IsDecidedAsItIsWritten) {
  const std::string written = TextOf(PathOf(GetParam()));

  const std::string again = Rewritten(written);

  EXPECT_EQ(again.find("\n    ? "), std::string::npos) << again;
  const char* mode = std::getenv("HOLDFAST_GOLDEN");
  if (mode != nullptr && std::string(mode) == "write") {
    std::ofstream(PathOf(GetParam())) << again;
  } else {
    EXPECT_EQ(again, written) << "read the difference; if it is meant, write it with HOLDFAST_GOLDEN=write";
  }
}

INSTANTIATE_TEST_SUITE_P(Each, GoldenStory, ::testing::ValuesIn(Stories()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(GoldenStories, ThoseThatMustBeThereAre) {
  const std::vector<std::string> stories = Stories();
  for (const char* name :
       {"register", "restart", "zombie", "nack-and-recovery", "drain", "drain-with-deadline", "crash-in-drain",
        "lapse-and-return", "controller-down", "clock-jump", "rebalance-on-join", "rebalance-on-leave", "health-basic",
        "health-guard", "health-outcomes", "health-checkers"}) {
    EXPECT_NE(std::find(stories.begin(), stories.end(), name), stories.end()) << name;
  }
}

TEST(GoldenStories, ACommandThatNobodyKnowsIsAMistake) {
  EXPECT_NE(Rewritten("> dance w1\n").find("? unknown command dance"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::testing
