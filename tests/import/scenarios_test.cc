// Imports that went wrong in the field, told again.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/import/import_run.h"
#include "tests/import/shared_lists.h"
#include "tools/import/item_json.h"

namespace holdfast::importer {
namespace {

// Everything that the import lets out: items, duplicates, rejections, reports.
std::string EverythingPrinted(const RecordingSink& sink, const FileReport& report) {
  std::string printed = report.file + " " + report.detail + "\n";
  for (const Item& item : sink.items) printed += ItemToJson(item).dump() + "\n";
  for (const Rejection& rejection : sink.rejections) printed += RejectionToJson(rejection).dump() + "\n";
  for (const Duplicate& duplicate : sink.duplicates) printed += duplicate.file + duplicate.first_file + "\n";
  return printed;
}

TEST(FieldReports, APasswordWithAnAtSignDoesNotMoveTheHost) {
  ImportRun run;

  const FileReport report = run.Take("list.txt",
                                     "http://alice:p@ss@198.18.2.5:8080\n"
                                     "http://alice:p%40ss@198.18.2.5:8080\n"
                                     "198.18.2.31:8080:alice:pa@ss\n");

  EXPECT_EQ(report.counts, (ImportCounts{2, 1, 0, 0}));
  ASSERT_EQ(run.sink.items.size(), 2u);
  ASSERT_EQ(run.sink.duplicates.size(), 1u);
  EXPECT_EQ(run.sink.items[0].endpoint.host, "198.18.2.5");
  EXPECT_EQ(run.sink.items[1].endpoint.host, "198.18.2.31");
  EXPECT_FALSE(run.sink.duplicates[0].password_differs) << "both spellings are one password";
  EXPECT_EQ(run.importer.secrets().credentials().at(run.sink.items[0].secret_ref).password, "p@ss");
  EXPECT_EQ(EverythingPrinted(run.sink, report).find("ss@"), std::string::npos);
}

std::string HundredThousandLines() {
  std::string list;
  for (int i = 0; i < 99999; ++i) {
    if (i == 49999) {
      list += "127:0:0:1:80\n";
    } else if (i == 69999) {
      list += std::string(70000, 'A') + "\n";
    } else {
      list += "198.18." + std::to_string(i / 65536) + "." + std::to_string(i / 256 % 256) + ":" +
              std::to_string(1 + i % 256) + "\n";
    }
  }
  return list + "{";
}

TEST(FieldReports, ThreeBrokenLinesOfAHundredThousandCostThreeLines) {
  ImportRun run;

  const FileReport report = run.Take("list.txt", HundredThousandLines());

  EXPECT_FALSE(report.problem.has_value());
  EXPECT_EQ(report.counts, (ImportCounts{99997, 0, 3, 0}));
  ASSERT_EQ(run.sink.rejections.size(), 3u);
  EXPECT_EQ(run.sink.rejections[0].position.line, 50000u);
  EXPECT_EQ(run.sink.rejections[1].position.line, 70000u);
  EXPECT_EQ(run.sink.rejections[2].position.line, 100000u);
  EXPECT_EQ(ReasonsOf(run.sink), (std::vector<std::string>{"ambiguous_ipv6", "line_too_long", "malformed_line"}));
}

TEST(FieldReports, OneAddressWithThousandsOfPortsIsThousandsOfProxies) {
  ImportRun run;
  std::string list;
  for (int port = 20000; port < 27000; ++port) list += "198.18.33.7:" + std::to_string(port) + "\n";

  const FileReport report = run.Take("list.txt", list);

  EXPECT_EQ(report.counts.accepted, 7000u);
  std::set<std::string> ids;
  for (const Item& item : run.sink.items) ids.insert(CanonicalUrl(item.endpoint, item.secret_ref));
  EXPECT_EQ(ids.size(), 7000u);
}

// The passwords of the lists, read by a parser of the test's own: all behind the third colon, or between ':' and '@'.
std::vector<std::string> PasswordsOf(const std::string& list, bool as_urls) {
  std::vector<std::string> passwords;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find('\n', begin), list.size());
    std::string line = list.substr(begin, end - begin);
    begin = end + 1;
    if (as_urls) line = line.substr(line.find("//") + 2, line.rfind('@') - line.find("//") - 2);
    std::size_t colon = line.find(':');
    for (int skip = 0; !as_urls && skip < 2; ++skip) colon = line.find(':', colon + 1);
    if (colon + 1 < line.size()) passwords.push_back(line.substr(colon + 1));
  }
  return passwords;
}

TEST(FieldReports, NoPasswordLeavesTheImportByAnyWay) {
  const auto lists = SharedLists();
  if (!lists) return;

  for (const char* file : {"userpass/userpass-100.txt", "authurl/authurl-100.txt"}) {
    const std::string list = ReadWholeFile(*lists / file);
    const std::vector<std::string> passwords = PasswordsOf(list, std::string(file).starts_with("authurl"));
    ASSERT_GE(passwords.size(), 90u) << file;
    ImportRun run;

    std::string printed = EverythingPrinted(run.sink, run.Take(file, list));
    printed += EverythingPrinted(run.sink, run.Take(file, list));

    EXPECT_EQ(run.sink.items.size(), 100u);
    for (const std::string& password : passwords) EXPECT_EQ(printed.find(password), std::string::npos) << file;
  }
}

TEST(FieldReports, NoRejectionRepeatsWhatStoodInTheLine) {
  const std::string marker = "Zq7secret";
  const std::vector<std::string> lines = {
      marker,
      "198.18.0.1:8080:" + marker,
      marker + "://198.18.0.1:8080",
      "ss://" + marker + "@198.18.0.1:8388",
      "http://alice:" + marker + "/x@198.18.0.1:80",
      "http://alice:" + marker + "%zz@198.18.0.1:80",
      "http://" + marker + "@10.0.0.1:80",
      "alice:" + marker + "@198.18.0.1:99999",
      "198.18.0.1:80" + marker,
      "socks5://alice:" + marker + std::string(256, 'x') + "@198.18.0.1:1080",
      "http://198.18.0.1:80/" + marker,
      "198.18.0.1:80:u:" + marker + "@198.18.0.2:81",
  };

  for (const std::string& line : lines) {
    ImportRun run;
    const FileReport report = run.Take("list.txt", line);

    EXPECT_EQ(report.counts.rejected, 1u) << line;
    EXPECT_EQ(EverythingPrinted(run.sink, report).find(marker), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace holdfast::importer
