#include "tools/import/json_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/import/import_run.h"

namespace holdfast::importer {
namespace {

using Strings = std::vector<std::string>;

Strings UrlsOf(const RecordingSink& sink) {
  Strings urls;
  for (const Item& item : sink.items) urls.push_back(CanonicalUrl(item.endpoint, ""));
  return urls;
}

// Detection is tested elsewhere: "[5" and a lone text may be lines as well.
ImportOptions JsonOptions() {
  ImportOptions options = TestOptions();
  options.format = ListFormat::kJson;
  return options;
}

// The URLs taken from one document.
Strings Take(const std::string& document) {
  ImportRun run(JsonOptions());
  run.Take("list.json", document);
  return UrlsOf(run.sink);
}

TEST(JsonList, RecordsAreFoundInEveryLayoutOfAPage) {
  const Strings one = {"http://198.18.0.1:80"};
  for (const char* document :
       {R"([{"ip":"198.18.0.1","port":80}])", R"({"data":[{"ip":"198.18.0.1","port":"80"}]})",
        R"({"proxies":[{"address":"198.18.0.1","port":80}],"limit":1})", R"({"results":["198.18.0.1:80"]})",
        R"({"code":0,"data":{"count":1,"proxy_list":["198.18.0.1:80"]}})", R"({"ip":"198.18.0.1","port":80})",
        R"({"data":{"ip":"198.18.0.1","port":80}})", R"(["http://198.18.0.1:80"])", R"("198.18.0.1:80")"}) {
    EXPECT_EQ(Take(document), one) << document;
  }
}

TEST(JsonList, WhatStandsDeeperInARecordIsNotTakenForItsFields) {
  EXPECT_EQ(Take(R"([{"ip":"198.18.0.1","port":80,"ip_data":{"ip":"198.18.0.2","port":81,"proxy":true},
                      "data":[{"ip":"198.18.0.3","port":82}]}])"),
            Strings{"http://198.18.0.1:80"});
}

TEST(JsonList, AnyElementThatIsNoProxyIsRejectedAlone) {
  ImportRun run(JsonOptions());

  const FileReport report = run.Take("list.json", R"([5, null, true, [["x"]], {"ip":"198.18.0.1","port":80}, {}, ""])");

  EXPECT_EQ(report.counts, (ImportCounts{1, 0, 6, 0}));
  ASSERT_EQ(run.sink.items.size(), 1u);
  EXPECT_EQ(run.sink.items[0].position.record, 5u);
}

TEST(JsonList, LinesAreCountedWhereRecordsBegin) {
  ImportRun run;

  run.Take("list.json", "[\n{\"ip\":\"198.18.0.1\",\n\"port\":80},\n\n{\"ip\":\"198.18.0.2\",\"port\":0}]");

  EXPECT_EQ(run.sink.items[0].position, (Position{2, 1}));
  EXPECT_EQ(run.sink.rejections[0].position, (Position{5, 2}));
}

TEST(JsonList, ACutOrDamagedDocumentGivesNothing) {
  const std::string whole = R"([{"ip":"198.18.0.1","port":80},{"ip":"198.18.0.2","port":80}])";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ImportRun run(JsonOptions());
    const FileReport report = run.Take("list.json", whole.substr(0, size));

    EXPECT_EQ(report.problem, FileProblem::kBadJson) << size;
    EXPECT_EQ(report.counts.Sum(), 0u) << size;
    EXPECT_TRUE(run.sink.items.empty()) << size;
  }
}

TEST(JsonList, DepthIsBounded) {
  ImportRun run(JsonOptions());
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');

  EXPECT_EQ(run.Take("list.json", deep).problem, FileProblem::kBadJson);
  EXPECT_EQ(run.Take("list.json", "[{\"ip\":\"198.18.0.1\",\"port\":80,\"x\":" + deep + "}]").problem,
            FileProblem::kBadJson);
}

TEST(JsonList, AKeyThatStandsTwiceOrTwoKeysThatDisagreeAreRefused) {
  ImportRun run;

  run.Take("list.ndjson", R"({"ip":"198.18.0.1","port":80,"port":81})"
                          "\n"
                          R"({"ip":"198.18.0.1","host":"198.18.0.2","port":81})"
                          "\n"
                          R"({"ip":"198.18.0.1","host":"198.18.0.1","port":81,"country":"DE","Country_Name":"Germany"})"
                          "\n"
                          R"({"proxy":"http://alice:pw@198.18.0.1:82","username":"bob","password":"pw"})"
                          "\n"
                          R"({"proxy":"socks5://198.18.0.1:83","protocol":"http"})"
                          "\n");

  EXPECT_EQ(ReasonsOf(run.sink),
            (Strings{"duplicate_key", "conflicting_fields", "conflicting_fields", "conflicting_fields"}));
  EXPECT_EQ(UrlsOf(run.sink), Strings{"http://198.18.0.1:81"});
}

TEST(JsonList, SurrogatesThatPairAreTextAndHalvesAreBadUnicode) {
  ImportRun run;

  run.Take("list.ndjson", R"({"ip":"198.18.0.1","port":80,"city":"\ud83d\ude00"})"
                          "\n"
                          R"({"ip":"198.18.0.1","port":81,"city":"\ud83d"})"
                          "\n"
                          R"({"ip":"198.18.0.1","port":82,"city":"\ude00"})"
                          "\n"
                          R"({"ip":"198.18.0.1","port":83,"city":"\\ud83d","x":})"
                          "\n");

  EXPECT_EQ(ReasonsOf(run.sink), (Strings{"bad_unicode", "bad_unicode", "bad_json"}));
  EXPECT_EQ(run.sink.items[0].labels.at("city"), "\xf0\x9f\x98\x80");
}

TEST(JsonList, AnAnswerOfTheProviderInsteadOfAListIsNoEmptyList) {
  ImportRun run;

  const FileReport refusal = run.Take("a.json", R"({"code":113,"msg":"ip not in white list","data":[]})");
  const FileReport partial = run.Take("b.json", R"({"data":[{"ip":"198.18.0.1","port":80}],"total":6543})");
  const FileReport whole = run.Take("c.json", R"({"data":[{"ip":"198.18.0.2","port":80}],"total":1,"code":200})");

  EXPECT_EQ(refusal.refusals, 1u);
  EXPECT_EQ(refusal.counts, (ImportCounts{0, 0, 0, 1}));
  EXPECT_EQ(partial.partial_pages, 1u);
  EXPECT_EQ(whole.partial_pages + whole.refusals, 0u);
}

TEST(JsonList, NumbersKeepTheirDigits) {
  ImportRun run;

  run.Take("list.ndjson",
           "{\"ip\":\"198.18.0.1\",\"port\":80,\"capacity\":4294967295}\n"
           "{\"ip\":\"198.18.0.1\",\"port\":81,\"capacity\":4294967296}\n"
           "{\"ip\":\"198.18.0.1\",\"port\":82,\"expires_at\":1893456000.0}\n"
           "{\"ip\":\"198.18.0.1\",\"port\":8.3e1}\n");

  EXPECT_EQ(run.sink.items.size(), 1u);
  EXPECT_EQ(run.sink.items[0].capacity, 4294967295u);
  EXPECT_EQ(ReasonsOf(run.sink), (Strings{"bad_capacity", "bad_expiry", "bad_port"}));
}

}  // namespace
}  // namespace holdfast::importer
