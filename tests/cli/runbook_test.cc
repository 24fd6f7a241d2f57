// docs/operations/alarms.md: a section for each kind of alarm that the controller can raise, and none for another.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <sstream>

#include "holdfast/admin/v1/admin.pb.h"
#include "tests/cli/cli_run.h"
#include "tools/cli/enum_word.h"

namespace holdfast::cli {
namespace {

const std::filesystem::path kRoot = HOLDFAST_SOURCE_DIR;

// "kClockJumped" after each "AlarmKind::" becomes "clock-jumped".
void FindKinds(const std::string& source, std::set<std::string>& kinds) {
  const std::string before = "AlarmKind::k";
  for (std::size_t at = source.find(before); at != std::string::npos; at = source.find(before, at + 1)) {
    std::string kind;
    for (std::size_t i = at + before.size(); i < source.size() && std::isalpha(static_cast<unsigned char>(source[i]));
         ++i) {
      const auto letter = static_cast<unsigned char>(source[i]);
      if (std::isupper(letter) && !kind.empty()) kind += '-';
      kind += static_cast<char>(std::tolower(letter));
    }
    kinds.insert(kind);
  }
}

// What the rules name, raised or cleared.
std::set<std::string> RaisedKinds() {
  std::set<std::string> kinds;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "src" / "controller")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".cc")) FindKinds(ReadTestFile(entry.path().string()), kinds);
  }
  return kinds;
}

std::set<std::string> Sections() {
  std::set<std::string> sections;
  std::istringstream lines(ReadTestFile((kRoot / "docs" / "operations" / "alarms.md").string()));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) sections.insert(line.substr(3));
  }
  return sections;
}

TEST(Runbook, EveryAlarmThatTheControllerCanRaiseHasItsSection) {
  const std::set<std::string> raised = RaisedKinds();
  const std::set<std::string> sections = Sections();

  EXPECT_GE(raised.size(), 6u) << "the rules were not found";
  for (const std::string& kind : raised) EXPECT_TRUE(sections.contains(kind)) << kind;
}

TEST(Runbook, EverySectionIsOfAKindOfTheContract) {
  std::set<std::string> kinds;
  for (std::string word : EnumWords<admin::v1::AlarmKind>()) {
    std::replace(word.begin(), word.end(), '_', '-');
    kinds.insert(word);
  }

  for (const std::string& section : Sections()) EXPECT_TRUE(kinds.contains(section)) << section;
}

}  // namespace
}  // namespace holdfast::cli
