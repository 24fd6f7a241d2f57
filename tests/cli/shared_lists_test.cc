// The shared proxy lists through the whole command: counts add up, and no password comes out anywhere.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "tests/cli/cli_run.h"
#include "tests/cli/fake_daemon.h"

namespace holdfast::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Empty: there are none, which is said aloud; a failure where the environment names a place and it is not there.
std::filesystem::path SharedLists() {
  const char* named = std::getenv("HOLDFAST_SHARED");
  const std::filesystem::path root = named != nullptr && *named != '\0'
                                         ? std::filesystem::path(named)
                                         : std::filesystem::path(HOLDFAST_SOURCE_DIR).parent_path() / "shared";
  const std::filesystem::path lists = root / "data" / "proxies";
  if (std::filesystem::exists(lists)) return lists;
  if (named != nullptr && *named != '\0') ADD_FAILURE() << "HOLDFAST_SHARED names " << root << ", which has no lists";
  std::cout << "the shared lists are not there: this test checks nothing" << std::endl;
  return {};
}

std::uint64_t Sum(const nlohmann::json& report) {
  std::uint64_t sum = 0;
  for (const char* count : {"added", "updated", "unchanged", "duplicates", "rejected", "skipped"}) {
    sum += report[count].get<std::uint64_t>();
  }
  return sum;
}

TEST(SharedLists, EveryFormatIsImportedAndTheSecondTimeNothingIsNew) {
  const std::filesystem::path lists = SharedLists();
  if (lists.empty()) return;
  for (const char* name :
       {"plain/plain-100.txt", "url/url-100.txt", "userpass/userpass-100.txt", "authurl/authurl-100.txt",
        "country/country-100.txt", "csv/csv-100.csv", "json-flat/json-flat-100.json",
        "json-geonode/json-geonode-100.json", "json-proxyscrape/json-proxyscrape-100.json", "operator/operator-100.csv",
        "mixed/mixed-100.txt", "quirks.txt", "quirks.ndjson", "quirks.csv"}) {
    SCOPED_TRACE(name);
    FakeDaemon daemon;
    const std::string file = (lists / name).string();

    const auto dry = RunAt(daemon.address(), {"import", file, "--dry-run", "--json"}).Json();
    const auto first = RunAt(daemon.address(), {"import", file, "--json"}).Json();
    const auto second = RunAt(daemon.address(), {"import", file, "--json"}).Json();

    EXPECT_GT(first["added"], 0);
    EXPECT_EQ(dry["added"], dry["items"].size());
    EXPECT_EQ(first["added"], dry["added"]);
    EXPECT_EQ(first["added"], daemon.pool.ids().size());
    EXPECT_EQ(second["added"], 0);
    EXPECT_EQ(Sum(first), Sum(second));
    EXPECT_EQ(Sum(first), Sum(dry));
  }
}

TEST(SharedLists, NoPasswordAndNoUserNameComesOutAnywhere) {
  const std::filesystem::path lists = SharedLists();
  if (lists.empty()) return;
  FakeDaemon daemon;
  const std::string secrets = TestPath("secrets.json");
  const std::string users = (lists / "userpass/userpass-100.txt").string();
  const std::string urls = (lists / "authurl/authurl-100.txt").string();
  const std::string quirks = (lists / "quirks.txt").string();

  std::string seen;
  for (const char* form : {"--json", "--times-utc"}) {
    for (const char* kind : {"--dry-run", "--allow-special"}) {
      const CliRun run = RunAt(daemon.address(), {"import", users, urls, quirks, "--secrets-out", secrets, form, kind},
                               {.terminal = true});
      seen += run.out + run.error;
    }
  }
  for (const char* list : {"proxies", "status", "sessions"}) {
    const CliRun run = RunAt(daemon.address(), {list, "--json"});
    seen += run.out + run.error;
  }
  seen += daemon.pool.everything_heard();

  const auto kept = nlohmann::json::parse(ReadTestFile(secrets));
  ASSERT_GT(kept.size(), 100u);
  std::size_t looked_for = 0;
  for (const auto& [reference, credential] : kept.items()) {
    for (const char* part : {"username", "password"}) {
      if (!credential[part].is_string()) continue;
      const std::string secret = credential[part].get<std::string>();
      if (secret.size() < 8) continue;  // "user", "pass": words that stand in any text
      EXPECT_EQ(seen.find(secret), std::string::npos) << "of " << reference;
      ++looked_for;
    }
  }
  EXPECT_GT(looked_for, 150u);
}

}  // namespace
}  // namespace holdfast::cli
