// The bulk lists against the numbers of manifest.json, in every layout and size, compressed or not.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/import/import_run.h"
#include "tests/import/shared_lists.h"

namespace holdfast::importer {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostImportedTwice = 20'000;

std::map<std::string, std::uint64_t> CountReasons(const RecordingSink& sink) {
  std::map<std::string, std::uint64_t> counts;
  for (const Rejection& rejection : sink.rejections) ++counts[std::string(ReasonName(rejection.reason))];
  return counts;
}

std::size_t CountEndpoints(const RecordingSink& sink) {
  std::set<std::string> endpoints;
  for (const Item& item : sink.items) endpoints.insert(AddressText(item.endpoint.host, item.endpoint.port, ""));
  return endpoints.size();
}

void ExpectAsListed(const std::string& file, const json& expected, const std::string& bytes) {
  ImportRun run;

  const FileReport report = run.Take(file, bytes);

  EXPECT_FALSE(report.problem.has_value()) << file << ": " << report.detail;
  EXPECT_EQ(report.counts.accepted, expected["accepted"]) << file;
  EXPECT_EQ(report.counts.duplicates, expected["duplicates"]) << file;
  EXPECT_EQ(report.counts.rejected, expected["rejected"]) << file;
  EXPECT_EQ(report.counts.skipped, expected.value("skipped", std::uint64_t{0})) << file;
  EXPECT_EQ(json(CountReasons(run.sink)), expected["rejected_by_reason"]) << file;
  EXPECT_EQ(CountEndpoints(run.sink), expected["distinct_endpoints"]) << file;
  EXPECT_EQ(run.sink.items.size(), report.counts.accepted) << file;

  // Twice is no other code at a larger size.
  if (report.counts.Sum() > kMostImportedTwice) return;
  const FileReport again = run.Take(file, bytes);

  EXPECT_EQ(again.counts.accepted, 0u) << file << ": imported twice";
  EXPECT_EQ(again.counts.Sum(), report.counts.Sum()) << file << ": imported twice";
}

TEST(BulkLists, EveryFileHasTheNumbersOfTheManifest) {
  const auto lists = SharedLists();
  if (!lists) return;
  const json manifest = json::parse(ReadWholeFile(*lists / "manifest.json"));
  std::size_t checked = 0;

  for (const auto& [file, entry] : manifest["files"].items()) {
    if (!entry.contains("expected")) continue;
    ExpectAsListed(file, entry["expected"], ReadWholeFile(*lists / file));
    ++checked;
  }

  EXPECT_GE(checked, 30u);
}

struct ExtraList {
  const char* file;
  ImportCounts counts;
};

TEST(BulkLists, TheFurtherLayoutsAreReadAsWell) {
  const auto lists = SharedLists();
  if (!lists) return;

  for (const ExtraList& extra :
       {ExtraList{"extra/json-db-100.json", {100, 0, 0, 0}}, ExtraList{"extra/json-db-10k.json.gz", {10000, 0, 0, 0}},
        ExtraList{"extra/spys-400.txt", {400, 0, 5, 2}}, ExtraList{"extra/nested-geo-492.json.gz", {492, 0, 0, 0}},
        ExtraList{"extra/account-list-100.json", {100, 0, 0, 0}},
        ExtraList{"extra/short-lived-100.json", {0, 0, 100, 0}}}) {
    ImportRun run;
    const FileReport report = run.Take(extra.file, ReadWholeFile(*lists / extra.file));

    EXPECT_FALSE(report.problem.has_value()) << extra.file;
    EXPECT_EQ(report.counts, extra.counts)
        << extra.file << " " << report.counts.accepted << " " << report.counts.duplicates << " "
        << report.counts.rejected << " " << report.counts.skipped;
  }
}

TEST(BulkLists, TimesWithoutAZoneAreTakenWhereTheirOffsetIsGiven) {
  const auto lists = SharedLists();
  if (!lists) return;
  ImportOptions options = TestOptions();
  options.times_without_zone = std::chrono::hours(8);
  ImportRun run(options);

  const FileReport report = run.Take("short-lived.json", ReadWholeFile(*lists / "extra/short-lived-100.json"));

  EXPECT_EQ(report.counts.accepted, 100u);
  EXPECT_EQ(run.sink.items.front().expires_at, kNow + std::chrono::minutes(21) + std::chrono::seconds(49));
  EXPECT_EQ(run.sink.items.front().labels.at("exit_address"), "198.51.100.149");
}

TEST(BulkLists, OneAccountOnAHundredEndpointsIsAHundredReferences) {
  const auto lists = SharedLists();
  if (!lists) return;
  ImportRun run;

  run.Take("account-list.json", ReadWholeFile(*lists / "extra/account-list-100.json"));

  EXPECT_EQ(run.importer.secrets().credentials().size(), 100u);
}

}  // namespace
}  // namespace holdfast::importer
