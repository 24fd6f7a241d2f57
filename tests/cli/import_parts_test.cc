// The parts of an import that need no daemon: batches, the spool, the tally, credentials.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/cli/cli_run.h"
#include "tools/cli/batch_spool.h"
#include "tools/cli/import_batcher.h"
#include "tools/cli/import_secrets.h"
#include "tools/cli/import_tally.h"

namespace holdfast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

admin::v1::ProxySpec Spec(const std::string& id) {
  admin::v1::ProxySpec spec;
  spec.set_proxy_id(id);
  return spec;
}

std::vector<ImportBatch> Batches(const std::vector<admin::v1::ProxySpec>& specs, const std::string& replace) {
  std::vector<ImportBatch> batches;
  ImportBatcher batcher(replace, [&](ImportBatch batch) {
    batches.push_back(std::move(batch));
    return true;
  });
  std::uint64_t line = 0;
  for (const auto& spec : specs) batcher.Add(spec, {0, ++line});
  batcher.Finish();
  return batches;
}

TEST(ImportBatcher, ABatchHoldsNoMoreItemsAndBytesThanAllowed) {
  const std::vector<admin::v1::ProxySpec> small(kMaxBatchItems * 2 + 1, Spec("p"));
  const std::vector<admin::v1::ProxySpec> large(5, Spec(std::string(400 * 1024, 'x')));

  const auto by_count = Batches(small, "");
  const auto by_bytes = Batches(large, "");

  ASSERT_EQ(by_count.size(), 3u);
  EXPECT_EQ(by_count[0].origins.size(), kMaxBatchItems);
  EXPECT_EQ(by_count[2].origins.size(), 1u);
  EXPECT_EQ(by_count[2].origins[0].line, kMaxBatchItems * 2 + 1);
  ASSERT_EQ(by_bytes.size(), 3u);
  for (const auto& batch : by_bytes) EXPECT_LE(batch.request.ByteSizeLong(), kMaxBatchBytes);
}

TEST(ImportBatcher, TheReplacedSourceGoesWithTheLastBatchAlone) {
  const std::vector<admin::v1::ProxySpec> exactly_two(kMaxBatchItems * 2, Spec("p"));

  const auto batches = Batches(exactly_two, "shop");

  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].request.replace_source(), "");
  EXPECT_EQ(batches[1].request.replace_source(), "shop");
  EXPECT_EQ(batches[1].origins.size(), kMaxBatchItems);
  EXPECT_EQ(Batches({}, "shop").size(), 1u) << "to replace a source by nothing must be said";
  EXPECT_EQ(Batches({}, "").size(), 0u);
}

TEST(BatchSpool, WhatWasWrittenIsReadAsOftenAsNeeded) {
  auto spool = BatchSpool::Create();
  ASSERT_TRUE(spool.ok());
  ImportBatch batch;
  *batch.request.add_proxies() = Spec("p-1");
  batch.origins.push_back({3, 17, true});
  ASSERT_TRUE(spool->Append(batch).ok());
  ASSERT_TRUE(spool->Append(ImportBatch()).ok());

  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(spool->Rewind().ok());
    const auto first = spool->Next();
    const auto second = spool->Next();
    const auto end = spool->Next();

    ASSERT_TRUE(first.ok() && *first && second.ok() && *second && end.ok());
    EXPECT_EQ((*first)->request.proxies(0).proxy_id(), "p-1");
    EXPECT_EQ((*first)->origins[0].line, 17u);
    EXPECT_TRUE((*first)->origins[0].only_named);
    EXPECT_TRUE((*second)->origins.empty());
    EXPECT_FALSE(*end);
  }
}

ImportBatch BatchOf(std::vector<ImportOrigin> origins) {
  ImportBatch batch;
  batch.origins = std::move(origins);
  return batch;
}

admin::v1::ImportProxiesResponse Answer(std::uint64_t first, std::uint64_t added, std::uint64_t rejected) {
  admin::v1::ImportProxiesResponse answer;
  answer.set_first_index(first);
  answer.set_count(added + rejected);
  answer.set_added(added);
  answer.set_rejected(rejected);
  return answer;
}

TEST(ImportTally, WhatTheDaemonRejectsIsMappedBackToFileAndLine) {
  ImportTally tally(10);
  auto answer = Answer(40, 1, 1);
  auto& rejection = *answer.add_rejections();
  rejection.set_index(41);
  rejection.set_reason(admin::v1::IMPORT_REASON_DUPLICATE_ENDPOINT);

  tally.Reject({1, 9, "malformed_line", ""});
  const std::string unfit = tally.CountAnswer(BatchOf({{0, 5}, {1, 7}}), answer, 40);

  EXPECT_EQ(unfit, "");
  EXPECT_EQ(tally.counts().added, 1u);
  EXPECT_EQ(tally.counts().rejected, 2u);
  ASSERT_EQ(tally.rejections().size(), 2u);
  EXPECT_EQ(tally.rejections()[0].line, 7u) << "in the order of the list";
  EXPECT_EQ(tally.rejections()[0].reason, "duplicate_endpoint");
}

TEST(ImportTally, AnAnswerThatDoesNotFitCountsForNothing) {
  ImportTally tally(10);
  const ImportBatch batch = BatchOf({{0, 1}, {0, 2}});
  auto outside = Answer(0, 1, 1);
  outside.add_rejections()->set_index(2);
  auto sum = Answer(0, 2, 0);
  sum.set_added(3);

  EXPECT_THAT(tally.CountAnswer(batch, Answer(1, 2, 0), 0), HasSubstr("from 1 on"));
  EXPECT_THAT(tally.CountAnswer(batch, Answer(0, 1, 0), 0), HasSubstr("1 items"));
  EXPECT_THAT(tally.CountAnswer(batch, sum, 0), HasSubstr("add up to 3 of 2"));
  EXPECT_THAT(tally.CountAnswer(batch, outside, 0), HasSubstr("item 2"));

  EXPECT_EQ(tally.counts().added, 0u);
  EXPECT_EQ(tally.counts().rejected, 0u);
}

TEST(ImportTally, ALineThatWasRejectedHereAndOnlyNamedIsNotCountedTwice) {
  ImportTally tally(10);
  tally.Reject({0, 3, "expired", ""});
  auto answer = Answer(0, 1, 1);
  answer.add_rejections()->set_index(1);

  EXPECT_EQ(tally.CountAnswer(BatchOf({{0, 2}, {0, 3, true}}), answer, 0), "");

  EXPECT_EQ(tally.counts().added, 1u);
  EXPECT_EQ(tally.counts().rejected, 1u);
  EXPECT_EQ(tally.rejections().size(), 1u);
}

TEST(ImportTally, TheListOfRejectionsEndsAndTheCountDoesNot) {
  ImportTally tally(2);

  for (std::uint64_t line = 1; line <= 5; ++line) tally.Reject({0, line, "malformed_line", ""});

  EXPECT_EQ(tally.counts().rejected, 5u);
  EXPECT_EQ(tally.rejections().size(), 2u);
}

TEST(ImportTally, AStreamThatBeginsAgainTakesItsCountsBack) {
  ImportTally tally(10);
  tally.CountDuplicates(4);
  tally.CountAnswer(BatchOf({{0, 1}}), Answer(0, 1, 0), 0);

  tally.ForgetAnswers();

  EXPECT_EQ(tally.counts().added, 0u);
  EXPECT_EQ(tally.counts().duplicates, 4u);
}

TEST(ImportSecrets, AFileThatIsThereKeepsWhatThisImportDidNotMeet) {
  const std::string path = WriteTestFile(
      "secrets.json",
      R"({"cred-a": {"username": "a", "password": "old"}, "cred-b": {"username": "b", "password": null}})");
  importer::SecretStore found;
  found.Add("cred-a", {"a", "new"});
  found.Add("cred-c", {"c", "pw"});

  const auto before = LoadSecrets(path);
  ASSERT_TRUE(before.ok());
  ASSERT_TRUE(SaveSecrets(found, *before, path).ok());

  const auto saved = nlohmann::json::parse(ReadTestFile(path));
  EXPECT_EQ(saved["cred-a"]["password"], "new");
  EXPECT_EQ(saved["cred-b"]["password"], nullptr);
  EXPECT_EQ(saved["cred-c"]["username"], "c");
  struct stat state;
  ASSERT_EQ(stat(path.c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777, 0600u);
}

TEST(ImportSecrets, AFileOfSomethingElseIsNeverOverwrittenAndNeverQuoted) {
  const std::string other = WriteTestFile("notes.txt", "password: hunter2");

  const auto loaded = LoadSecrets(other);
  const auto nowhere = LoadSecrets("/nowhere/at/all/secrets.json");

  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(std::string(loaded.status().message()), Not(HasSubstr("hunter2")));
  EXPECT_FALSE(nowhere.ok());
}

}  // namespace
}  // namespace holdfast::cli
