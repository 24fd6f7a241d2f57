// Sources, lines, CSV rows and format detection, each alone.

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/import/import_run.h"
#include "tools/import/byte_source.h"
#include "tools/import/csv_row.h"
#include "tools/import/gzip_source.h"
#include "tools/import/line_reader.h"
#include "tools/import/list_format.h"
#include "tools/import/utf16_source.h"

namespace holdfast::importer {
namespace {

using Strings = std::vector<std::string>;

// Counts what it gives out.
class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::string_view bytes) : inner_(bytes) {}
  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) override {
    const auto count = inner_.Read(buffer, size);
    given += *count;
    return count;
  }
  std::size_t given = 0;

 private:
  MemorySource inner_;
};

Strings LinesOf(std::string_view bytes, std::size_t max_bytes = 8192, char line_end = '\n') {
  MemorySource source(bytes);
  LineReader reader(&source, max_bytes, line_end);
  Strings lines;
  Line line;
  while (reader.Next(&line)) lines.push_back(line.too_long ? "<too long>" : std::string(line.text));
  return lines;
}

std::string AllOf(ByteSource* source, absl::Status* status) {
  std::string all;
  char buffer[7];
  while (true) {
    const auto count = source->Read(buffer, sizeof buffer);
    *status = count.status();
    if (!count.ok() || *count == 0) return all;
    all.append(buffer, *count);
  }
}

std::string Gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST(LineReader, EndsAreTakenOffAndTheLastLineMayLackOne) {
  EXPECT_EQ(LinesOf(""), Strings());
  EXPECT_EQ(LinesOf("a"), Strings{"a"});
  EXPECT_EQ(LinesOf("a\n"), Strings{"a"});
  EXPECT_EQ(LinesOf("a\r\n\nb\rc\r\n"), (Strings{"a", "", "b\rc"}));
  EXPECT_EQ(LinesOf("a\rb", 10, '\r'), (Strings{"a", "b"}));
}

TEST(LineReader, ALineOverTheLimitIsPassedOverAndTheNextIsWhole) {
  EXPECT_EQ(LinesOf("1234\n12345\n1234\n", 4), (Strings{"1234", "<too long>", "1234"}));
  EXPECT_EQ(LinesOf(std::string(200000, 'x') + "\nshort", 8192), (Strings{"<too long>", "short"}));
}

TEST(LineReader, EachByteIsReadOnceHoweverLongTheLine) {
  const std::string bytes(1'000'000, ':');
  CountingSource source(bytes);
  LineReader reader(&source, 8192, '\n');
  Line line;

  ASSERT_TRUE(reader.Next(&line));

  EXPECT_TRUE(line.too_long);
  EXPECT_FALSE(reader.Next(&line));
  EXPECT_EQ(source.given, bytes.size());
}

TEST(GzipSource, SeveralMembersAreOneText) {
  const std::string packed = Gzip("198.18.0.1:80\n") + Gzip("198.18.0.2:80\n");
  MemorySource inner(packed);
  absl::Status status;

  EXPECT_EQ(AllOf(MakeGzipSource(&inner).get(), &status), "198.18.0.1:80\n198.18.0.2:80\n");
  EXPECT_TRUE(status.ok());
}

TEST(GzipSource, ACutFileGivesWhatWasGoodAndThenTheFault) {
  std::string list;
  for (int i = 0; i < 2000; ++i) list += "198.18.1." + std::to_string(i % 256) + ":" + std::to_string(1000 + i) + "\n";
  const std::string packed = Gzip(list);
  ImportRun run;

  const FileReport report = run.Take("list.gz", packed.substr(0, packed.size() / 2));

  EXPECT_EQ(report.problem, FileProblem::kCorruptGzip);
  EXPECT_GT(report.counts.accepted, 100u);
  EXPECT_LT(report.counts.accepted, 2000u);
  for (const Item& item : run.sink.items) EXPECT_GE(item.endpoint.port, 1000) << "no line was cut in its middle";
}

TEST(GzipSource, AnArchiveThatGrowsWithoutEndIsStopped) {
  ImportOptions options = TestOptions();
  options.max_file_bytes = 100'000;
  ImportRun run(options);

  const FileReport report = run.Take("list.gz", Gzip(std::string(10'000'000, '\n')));

  EXPECT_EQ(report.problem, FileProblem::kFileTooLarge);
  EXPECT_LE(report.counts.skipped, 100'000u);
}

TEST(JsonList, ADocumentOverTheLimitIsRefusedAsAWhole) {
  ImportOptions options = TestOptions();
  options.max_document_bytes = 100;
  ImportRun run(options);

  const FileReport report =
      run.Take("a.json", "[\"198.18.0.1:80\"," + std::string(200'000, ' ') + "\"198.18.0.2:80\"]");

  EXPECT_EQ(report.problem, FileProblem::kFileTooLarge);
  EXPECT_EQ(report.counts.Sum(), 0u);
}

TEST(Utf16Source, BothOrdersAreDecodedAndHalvesOfPairsAreNoUtf8) {
  absl::Status status;
  MemorySource little(std::string_view("a\0\x3d\xd8\x00\xde", 6));
  EXPECT_EQ(AllOf(MakeUtf16Source(&little, Utf16Order::kLittleEndian).get(), &status), "a\xf0\x9f\x98\x80");
  MemorySource big(std::string_view("\0a\x20\xac", 4));
  EXPECT_EQ(AllOf(MakeUtf16Source(&big, Utf16Order::kBigEndian).get(), &status), "a\xe2\x82\xac");
  MemorySource half(std::string_view("\x3d\xd8z\0q", 5));
  EXPECT_EQ(AllOf(MakeUtf16Source(&half, Utf16Order::kLittleEndian).get(), &status), "\xffz\xff");
}

Strings RowOf(std::string_view text, CsvRowState expected = CsvRowState::kWhole, char delimiter = ',') {
  Strings fields;
  EXPECT_EQ(SplitCsvRow(text, delimiter, &fields), expected) << text;
  return fields;
}

TEST(CsvRow, QuotesHoldDelimitersLineEndsAndDoubledQuotes) {
  EXPECT_EQ(RowOf("a,b,,d"), (Strings{"a", "b", "", "d"}));
  EXPECT_EQ(RowOf("\"a,b\",\"c\"\"d\",\"e\nf\""), (Strings{"a,b", "c\"d", "e\nf"}));
  EXPECT_EQ(RowOf(" \"a\" ,b"), (Strings{"a", "b"}));
  EXPECT_EQ(RowOf("a\"b;c", CsvRowState::kWhole, ';'), (Strings{"a\"b", "c"}));
  EXPECT_EQ(RowOf("a,"), (Strings{"a", ""}));
  RowOf("a,\"b", CsvRowState::kOpenQuote);
  RowOf("a,\"b\"c", CsvRowState::kMalformed);
  RowOf("a,b\nc", CsvRowState::kMalformed);
}

TEST(CsvList, AQuoteThatNeverClosesCostsOneLine) {
  ImportRun run;

  const FileReport report = run.Take("list.csv",
                                     "ip,port,username\n198.18.0.1,80,\"open\n198.18.0.2,80,\n198.18.0.3,80,\"bob\"\n"
                                     "198.18.0.4,80,\n");

  EXPECT_EQ(report.counts, (ImportCounts{3, 0, 1, 0}));
  EXPECT_EQ(run.sink.rejections[0].position.line, 2u);
}

TEST(CsvList, OpenQuotesBeforeManyQuotedLinesCostOneLineEach) {
  // The lines behind an open quote hold quotes in pairs: none closes it, and each could be tried anew.
  std::string list = "ip,port\n";
  for (int block = 0; block < 50; ++block) {
    list += "\"a\n";
    for (int i = 0; i < 2000; ++i) list += "\"\"\"\"\n";
  }
  ImportRun run;

  const FileReport report = run.Take("list.csv", list);

  EXPECT_EQ(report.counts, (ImportCounts{0, 0, 50 + 50 * 2000, 0}));
  EXPECT_EQ(std::count_if(run.sink.rejections.begin(), run.sink.rejections.end(),
                          [](const Rejection& r) { return r.reason == RejectionReason::kMalformedRow; }),
            50);
}

TEST(ListFormat, ContentDecidesAndTheNameOnlyWhereItMust) {
  EXPECT_EQ(DetectListFormat("", "a.json"), ListFormat::kText);
  EXPECT_EQ(DetectListFormat("198.18.0.1:80\n", "a.json"), ListFormat::kText);
  EXPECT_EQ(DetectListFormat("[2001:db8::1]:80\n", "a.txt"), ListFormat::kText);
  EXPECT_EQ(DetectListFormat("[::1]:80\n", "a.json"), ListFormat::kText);
  EXPECT_EQ(DetectListFormat("{\n198.18.0.1:80\n", "a.txt"), ListFormat::kText);
  EXPECT_EQ(DetectListFormat("[\"198.18.0.1:80\"]", "a.txt"), ListFormat::kJson);
  EXPECT_EQ(DetectListFormat(" [\n {\"ip\":1},\n {\"ip\":2}]", "a.txt"), ListFormat::kJson);
  EXPECT_EQ(DetectListFormat("{\"data\":[{\"ip\":1},\n{\"ip\":2}]}", "a"), ListFormat::kJson);
  EXPECT_EQ(DetectListFormat("{\"ip\":1}\n{\"ip\":2}\n", "a.json"), ListFormat::kNdjson);
  EXPECT_EQ(DetectListFormat("{\"ip\":1", "a.ndjson.gz"), ListFormat::kNdjson);
  EXPECT_EQ(DetectListFormat("{\"ip\":\n{\"ip\":2}\n", "a.jsonl"), ListFormat::kNdjson);
  EXPECT_EQ(DetectListFormat("ip,port\n", "a.txt"), ListFormat::kCsv);
  EXPECT_EQ(DetectListFormat("\"Host\";\"Port\"\n", "a.txt"), ListFormat::kCsv);
  EXPECT_EQ(DetectListFormat("proxy\tcountry\n", "a"), ListFormat::kCsv);
  EXPECT_EQ(DetectListFormat("198.18.0.23,8080\n", "a.csv"), ListFormat::kText);
  EXPECT_EQ(ParseListFormat("ndjson"), ListFormat::kNdjson);
  EXPECT_FALSE(ParseListFormat("xml").has_value());
}

}  // namespace
}  // namespace holdfast::importer
