// Every line, record and file of the shared quirks against what expected.json says of it.

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/import/expectation.h"
#include "tests/import/import_run.h"
#include "tests/import/print_proxy.h"
#include "tests/import/shared_lists.h"

namespace holdfast::importer {
namespace {

using nlohmann::json;

class ExpectedLists : public ::testing::Test {
 protected:
  // Whether there is anything to test.
  bool Load() {
    lists_ = SharedLists();
    if (!lists_) return false;
    expected_ = json::parse(ReadWholeFile(*lists_ / "expected.json"));
    return true;
  }

  FileReport Take(ImportRun* run, const std::string& file) { return run->Take(file, ReadWholeFile(*lists_ / file)); }

  // One row of the table of what was chosen where something was open.
  static void Print(const std::string& where, const json& expectation, const std::string& outcome,
                    const std::string& why) {
    std::printf("  %-10s %-28s %-7s %-42s %s\n", where.c_str(), expectation.value("id", "").c_str(),
                expectation.at("level").get<std::string>().c_str(), outcome.c_str(), why.c_str());
  }

  void ExpectAllowed(const std::string& where, const json& expectation, const json& outcome) {
    const std::string why = WhyAllowed(expectation, outcome);
    EXPECT_NE(why, "") << where << " " << expectation.value("id", "") << ": " << outcome.dump();
    if (expectation.contains("also_allowed")) {
      const std::string action = outcome["action"];
      Print(where, expectation,
            outcome.contains("reason") ? action + " " + outcome["reason"].get<std::string>() : action, why);
    }
  }

  std::optional<std::filesystem::path> lists_;
  json expected_;
};

TEST_F(ExpectedLists, EveryLineOfTheTextQuirksIsAsExpected) {
  if (!Load()) return;
  ImportRun run;

  const FileReport report = Take(&run, "quirks.txt");

  EXPECT_EQ(report.format, ListFormat::kText);
  EXPECT_EQ(report.counts.Sum(), expected_["quirks_txt"].size());
  for (const json& expectation : expected_["quirks_txt"]) {
    const std::uint64_t line = expectation["line"];
    ExpectAllowed("line " + std::to_string(line), expectation, OutcomeAt(run, line));
  }
}

TEST_F(ExpectedLists, EveryAcceptedTextQuirkPrintsAsTheUrlThatIsExpected) {
  if (!Load()) return;
  ImportRun run;

  Take(&run, "quirks.txt");

  for (const json& expectation : expected_["quirks_txt"]) {
    if (!expectation.contains("as_url") || expectation["action"] != "accept") continue;
    const std::uint64_t line = expectation["line"];
    for (const Item& item : run.sink.items) {
      if (item.position.line != line) continue;
      std::optional<Credential> credential;
      if (!item.secret_ref.empty()) credential = run.importer.secrets().credentials().at(item.secret_ref);
      EXPECT_EQ(PrintAsUrl(item.endpoint, credential), expectation["as_url"]) << "line " << line;
    }
  }
}

TEST_F(ExpectedLists, EveryRecordOfTheCsvQuirksIsAsExpected) {
  if (!Load()) return;
  ImportRun run;

  const FileReport report = Take(&run, "quirks.csv");

  EXPECT_EQ(report.format, ListFormat::kCsv);
  EXPECT_EQ(report.counts.Sum(), expected_["quirks_csv"].size() - 1) << "all but the header";
  for (const json& expectation : expected_["quirks_csv"]) {
    const std::uint64_t record = expectation["record"];
    if (record == 0) continue;
    ExpectAllowed("record " + std::to_string(record), expectation, OutcomeAt(run, record));
  }
}

// What became of one line of NDJSON, in the shape of its expectation.
struct NdjsonOutcome {
  std::vector<json> accept;
  std::vector<std::string> reject;
};

NdjsonOutcome NdjsonOutcomeAt(const ImportRun& run, std::uint64_t line) {
  NdjsonOutcome outcome;
  for (const Item& item : run.sink.items) {
    if (item.position.line == line) outcome.accept.push_back(NormalisedOf(item, run.importer.secrets()));
  }
  for (const Rejection& rejection : run.sink.rejections) {
    if (rejection.position.line == line) outcome.reject.emplace_back(ReasonName(rejection.reason));
  }
  return outcome;
}

bool IsAs(const NdjsonOutcome& outcome, const json& wanted) {
  if (outcome.accept.size() != wanted["accept"].size()) return false;
  for (std::size_t i = 0; i < outcome.accept.size(); ++i) {
    if (!IsProxy(outcome.accept[i], wanted["accept"][i])) return false;
  }
  return json(outcome.reject) == wanted["reject"];
}

TEST_F(ExpectedLists, EveryLineOfTheNdjsonQuirksIsAsExpected) {
  if (!Load()) return;
  ImportRun run;

  const FileReport report = Take(&run, "quirks.ndjson");

  EXPECT_EQ(report.format, ListFormat::kNdjson);
  std::size_t errors = 0;
  std::size_t partial = 0;
  for (const json& expectation : expected_["quirks_ndjson"]) {
    const std::uint64_t line = expectation["line"];
    const NdjsonOutcome outcome = NdjsonOutcomeAt(run, line);
    std::string why = IsAs(outcome, expectation) ? "expected" : "";
    for (const json& also : expectation.value("also_allowed", json::array())) {
      if (why.empty() && IsAs(outcome, also)) why = also["why"];
    }
    const std::string text = std::to_string(outcome.accept.size()) + " accepted " + json(outcome.reject).dump();
    EXPECT_NE(why, "") << "line " << line << " " << expectation["id"] << ": " << text << json(outcome.accept).dump();
    if (expectation.contains("also_allowed")) Print("line " + std::to_string(line), expectation, text, why);
    errors += expectation.value("document", "") == "error" ? 1 : 0;
    partial += expectation.value("document", "") == "partial" ? 1 : 0;
  }
  EXPECT_EQ(report.refusals, errors);
  EXPECT_EQ(report.partial_pages, partial);
  EXPECT_EQ(run.sink.duplicates.size(), 1u) << "the protocol that stands twice";
}

json CountsOf(const FileReport& report) {
  if (report.problem) return {{"file_rejected", std::string(FileProblemName(*report.problem))}};
  return {{"accepted", report.counts.accepted},
          {"duplicates", report.counts.duplicates},
          {"rejected", report.counts.rejected},
          {"skipped", report.counts.skipped}};
}

TEST_F(ExpectedLists, EveryFileQuirkIsAsExpected) {
  if (!Load()) return;

  for (const json& expectation : expected_["files"]) {
    const std::string file = expectation["file"];
    ImportRun run;
    json counts = CountsOf(Take(&run, file));

    std::string why = counts == expectation["expect"] ? "expected" : "";
    if (expectation["also"].is_array()) {
      for (json also : expectation["also"]) {
        const std::string reason = also["why"];
        also.erase("why");
        if (why.empty() && counts == also) why = reason;
      }
      Print("file", expectation, file.substr(6) + " " + counts.dump(), why);
    }
    EXPECT_NE(why, "") << file << ": " << counts.dump();
  }
}

}  // namespace
}  // namespace holdfast::importer
