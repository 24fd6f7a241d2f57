// The completion scripts: every command and option is in them, and bash does with its own what it should.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>

#include "tests/cli/cli_run.h"

namespace holdfast::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

// What bash offers for the words; the last one is being typed.
std::vector<std::string> Offered(const std::vector<std::string>& words) {
  std::string text = RunCommand({"completion", "bash"}).out + "COMP_WORDS=(";
  for (const std::string& word : words) text += "'" + word + "' ";
  text += ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) + "\n_holdfast\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  const std::string script = WriteTestFile("complete.sh", text);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> bash(popen(("bash " + script + " 2>&1").c_str(), "r"), pclose);
  std::vector<std::string> offered;
  std::array<char, 4096> line;
  while (std::fgets(line.data(), line.size(), bash.get()) != nullptr) {
    std::string word = line.data();
    while (word.ends_with('\n')) word.pop_back();
    if (!word.empty()) offered.push_back(word);
  }
  return offered;
}

TEST(Completion, BashOffersCommandsOptionsAndChoices) {
  EXPECT_THAT(Offered({"holdfast", "s"}), UnorderedElementsAre("status", "sessions"));
  EXPECT_THAT(Offered({"holdfast", "check"}), UnorderedElementsAre("check", "checks", "checkers"));
  EXPECT_THAT(Offered({"holdfast", "--server", "127.0.0.1:1", "routings", ""}), UnorderedElementsAre("list", "apply"));
  EXPECT_THAT(Offered({"holdfast", "pool", ""}), UnorderedElementsAre("diff", "rebuild", "adopt"));
  EXPECT_THAT(Offered({"holdfast", "proxies", "--state", "su"}), ElementsAre("suspect"));
  EXPECT_THAT(Offered({"holdfast", "proxies", "remove", "--r"}), ElementsAre("--reason"));
  EXPECT_THAT(Offered({"holdfast", "sessions", "--"}), IsSupersetOf({"--kind", "--member", "--json", "--server"}));
  EXPECT_THAT(Offered({"holdfast", "sessions", "--"}), Not(Contains("--replace")));
  EXPECT_THAT(Offered({"holdfast", "drain", "--gr"}), ElementsAre("--grace"));
  EXPECT_THAT(Offered({"holdfast", "alarms", "clear", "snapshot_"}),
              UnorderedElementsAre("snapshot_refused", "snapshot_oversize"));
  EXPECT_THAT(Offered({"holdfast", "completion", ""}), UnorderedElementsAre("bash", "zsh", "fish"));
}

TEST(Completion, TheSameOptionOffersWhatItMeansAtEachCommand) {
  EXPECT_THAT(Offered({"holdfast", "proxies", "--state", ""}),
              UnorderedElementsAre("pending", "available", "suspect", "unhealthy", "extracted", "expired"));
  EXPECT_THAT(Offered({"holdfast", "checks", "--state", ""}),
              UnorderedElementsAre("unknown", "available", "suspect", "unhealthy"));
  EXPECT_THAT(Offered({"holdfast", "sessions", "--kind", ""}),
              UnorderedElementsAre("worker", "checker", "agent", "provider"));
  EXPECT_THAT(Offered({"holdfast", "--json", "drain", "checker-1", "--kind", ""}),
              UnorderedElementsAre("worker", "checker"));
  EXPECT_THAT(Offered({"holdfast", "log", "--kind", ""}), ElementsAre()) << "any word";
  EXPECT_THAT(Offered({"holdfast", "check", "p-1", "--level", "t"}), ElementsAre("target"));
  EXPECT_THAT(Offered({"holdfast", "extract", "--format", ""}), UnorderedElementsAre("url", "json", "curl"));
  EXPECT_THAT(Offered({"holdfast", "extract", "--scheme", "socks5"}), UnorderedElementsAre("socks5", "socks5h"));
}

TEST(Completion, BashOffersFilesWhereFilesAreNamed) {
  const std::string file = WriteTestFile("list.txt", "");

  EXPECT_THAT(Offered({"holdfast", "import", file.substr(0, file.size() - 3)}), ElementsAre(file));
  EXPECT_THAT(Offered({"holdfast", "import", "--secrets-out", file.substr(0, file.size() - 3)}), ElementsAre(file));
}

TEST(Completion, EveryShellKnowsEveryCommand) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const CliRun run = RunCommand({"completion", shell});

    EXPECT_EQ(run.code, ExitCode::kDone);
    for (const char* word : {"status",    "import",        "proxies",  "remove",      "routings",
                             "apply",     "list",          "sessions", "log",         "audit",
                             "ownership", "completion",    "drain",    "fence",       "reclaim",
                             "cordon",    "uncordon",      "alarms",   "clear",       "clock",
                             "accept",    "no-deadline",   "wide",     "secrets-out", "expected-revision",
                             "worker",    "checks",        "check",    "checkers",    "unchecked-for",
                             "extract",   "release",       "pool",     "diff",        "rebuild",
                             "adopt",     "all-or-nothing"}) {
      EXPECT_THAT(run.out, HasSubstr(word)) << shell;
    }
  }
  EXPECT_EQ(RunCommand({"completion", "tcsh"}).code, ExitCode::kCouldNotRun);
}

}  // namespace
}  // namespace holdfast::cli
