#include "tools/import/importer.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/import/import_run.h"

namespace holdfast::importer {
namespace {

using Strings = std::vector<std::string>;

TEST(Importer, AProxyOfAnEarlierFileIsADuplicateThatNamesThatFile) {
  ImportRun run;
  run.Take("first.txt", "# head\n198.18.0.1:80\n");

  const FileReport report = run.Take("second.csv", "ip,port\n198.18.0.1,80\n");

  EXPECT_EQ(report.counts, (ImportCounts{0, 1, 0, 0}));
  EXPECT_EQ(run.sink.duplicates[0].first_file, "first.txt");
  EXPECT_EQ(run.sink.duplicates[0].first_line, 2u);
  EXPECT_EQ(run.sink.duplicates[0].file, "second.csv");
}

TEST(Importer, AnotherPasswordForAKnownAccountIsADuplicateAndTheFirstStands) {
  ImportRun run;

  const FileReport report = run.Take("list.txt", "198.18.2.1:8080:alice:one\n198.18.2.1:8080:alice:two\n");

  EXPECT_EQ(report.counts, (ImportCounts{1, 1, 0, 0}));
  EXPECT_TRUE(run.sink.duplicates[0].password_differs);
  EXPECT_EQ(run.importer.secrets().credentials().begin()->second.password, "one");
}

TEST(Importer, TheSameAccountByAnotherProtocolSharesItsReferenceAndMustShareItsPassword) {
  ImportRun run;

  const FileReport report = run.Take("list.txt",
                                     "http://alice:one@198.18.2.1:8080\n"
                                     "socks5://alice:one@198.18.2.1:8080\n"
                                     "socks5h://alice:two@198.18.2.1:8080\n");

  EXPECT_EQ(report.counts, (ImportCounts{2, 0, 1, 0}));
  EXPECT_EQ(run.sink.items[0].secret_ref, run.sink.items[1].secret_ref);
  EXPECT_EQ(ReasonsOf(run.sink), Strings{"credential_conflict"});
}

TEST(Importer, AReferenceDependsOnHostPortAndUserAlone) {
  ImportRun run;

  run.Take("list.txt",
           "198.18.2.1:80:alice:one\n198.18.2.1:81:alice:one\n198.18.2.2:80:alice:one\n198.18.2.1:80:bob:one\n"
           "198.18.2.9:80\n");
  ImportRun other;
  other.Take("list.txt", "198.18.2.1:80:alice:another\n");

  const auto& items = run.sink.items;
  ASSERT_EQ(items.size(), 5u);
  EXPECT_NE(items[0].secret_ref, items[1].secret_ref);
  EXPECT_NE(items[0].secret_ref, items[2].secret_ref);
  EXPECT_NE(items[0].secret_ref, items[3].secret_ref);
  EXPECT_EQ(items[4].secret_ref, "");
  EXPECT_EQ(items[0].secret_ref, other.sink.items[0].secret_ref);
  EXPECT_EQ(items[0].secret_ref, "cred-72452707426ab2fe9f7462dac696d6e3") << "references outlive the program";
}

TEST(Importer, AnExpiredProxyIsRejectedWithItsIdentity) {
  ImportRun run;

  run.Take("list.csv", "ip,port,username,password,expires_at\n198.18.0.1,80,alice,pw,2020-01-01T00:00:00Z\n");

  ASSERT_EQ(run.sink.rejections.size(), 1u);
  EXPECT_EQ(run.sink.rejections[0].reason, RejectionReason::kExpired);
  EXPECT_TRUE(run.sink.rejections[0].proxy_id.starts_with("http://cred-"));
  EXPECT_TRUE(run.sink.rejections[0].proxy_id.ends_with("@198.18.0.1:80"));
}

TEST(Importer, TheSinkStopsTheReading) {
  for (const char* list :
       {"198.18.0.1:80\n198.18.0.2:80\n198.18.0.3:80\n", "ip,port\n198.18.0.1,80\n198.18.0.2,80\n1,2\n",
        "[\"198.18.0.1:80\",\"198.18.0.2:80\",\"198.18.0.3:80\"]",
        "{\"ip\":\"198.18.0.1\",\"port\":1}\n{\"ip\":\"198.18.0.2\",\"port\":1}\n{}\n"}) {
    ImportRun run;
    run.sink.stop_after = 2;

    const FileReport report = run.Take("list", list);

    EXPECT_TRUE(report.stopped) << list;
    EXPECT_EQ(report.counts, (ImportCounts{2, 0, 0, 0})) << list;
  }
}

TEST(Importer, OptionsNameSourceZoneAndSchemeWhereTheListDoesNot) {
  ImportOptions options = TestOptions();
  options.source = "provider-a";
  options.zone = "eu";
  options.default_scheme = Scheme::kSocks5;
  ImportRun run(options);

  run.Take("list.csv", "ip,port,source,zone,country,country_code\n198.18.0.1,80,elsewhere,us,Germany,DE\n");
  run.Take("list.txt", "198.18.0.2:80:Japan\n");

  for (const Item& item : run.sink.items) {
    EXPECT_EQ(item.source, "provider-a");
    EXPECT_EQ(item.zone, "eu");
    EXPECT_EQ(item.endpoint.scheme, Scheme::kSocks5);
  }
  EXPECT_EQ(run.sink.items[0].labels.at("country"), "DE");
  EXPECT_EQ(run.sink.items[1].labels.at("country"), "Japan");
}

TEST(Importer, SpecialAddressesAreTakenWhereTheyAreAllowed) {
  ImportOptions options = TestOptions();
  options.allow_special = true;
  ImportRun run(options);

  const FileReport report = run.Take("list.txt", "127.0.0.1:3128\nlocalhost:3129\n[::1]:3130\n10.0.0.1:1\n");

  EXPECT_EQ(report.counts.accepted, 4u);
}

TEST(Importer, UserInformationInAnyFieldIsASecretInAField) {
  ImportRun run;

  run.Take("list.ndjson",
           "{\"host\":\"alice:pw@198.18.0.1\",\"port\":80}\n"
           "{\"host\":\"198.18.0.1\",\"port\":80,\"source\":\"http://alice:pw@lists.example.com/\"}\n"
           "{\"host\":\"198.18.0.1\",\"port\":80,\"city\":\"http://token@lists.example.com\"}\n");

  EXPECT_EQ(ReasonsOf(run.sink), (Strings{"secret_in_field", "secret_in_field", "secret_in_field"}));
}

TEST(Importer, ReplacingIsUnsafeWhereAListMayNotBeTheWhole) {
  const auto why = [](std::string_view name, std::string_view bytes) {
    ImportRun run;
    return WhyReplaceIsUnsafe({run.Take(name, bytes)});
  };

  EXPECT_FALSE(why("a.txt", "198.18.0.1:80\n").has_value());
  EXPECT_FALSE(why("a.txt", "198.18.0.1:80\nbad line\n").has_value()) << "a bad line is no missing one";
  EXPECT_TRUE(why("a.txt", "").has_value());
  EXPECT_TRUE(why("a.txt", "Too Many Requests\n").has_value());
  EXPECT_TRUE(why("a.json", "{\"success\":false,\"error\":\"quota\"}").has_value());
  EXPECT_TRUE(why("a.json", "{\"data\":[{\"ip\":\"198.18.0.1\",\"port\":80}],\"total\":2}").has_value());
  EXPECT_TRUE(why("a.json", "{\"results\":[{\"ip\":\"198.18.0.1\",\"port\":80}],\"next\":\"p2\"}").has_value());
  EXPECT_TRUE(why("a.json", "[{\"ip\":\"198.18.0.1\",\"port\":80},").has_value());
}

TEST(Importer, ArchivesAndUtf32AreRefusedAsAWhole) {
  for (const auto& [bytes, problem] :
       {std::pair<std::string, FileProblem>{"PK\x03\x04 and so on", FileProblem::kWrongFormat},
        {std::string("\xff\xfe\0\0a\0\0\0", 8), FileProblem::kUnsupportedEncoding}}) {
    ImportRun run;
    const FileReport report = run.Take("list.txt", bytes);

    EXPECT_EQ(report.problem, problem);
    EXPECT_EQ(report.counts.Sum(), 0u);
    EXPECT_GT(report.detail.size(), 20u);
  }
}

// A million lines that name the same hundred proxies, made as they are read.
class EndlessSource final : public ByteSource {
 public:
  explicit EndlessSource(std::uint64_t lines) : left_(lines) {}
  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) override {
    std::size_t filled = 0;
    while (left_ > 0 && filled + 32 < size) {
      const std::string line = "198.18.0." + std::to_string(left_ % 100) + ":8080\n";
      filled += line.copy(buffer + filled, line.size());
      --left_;
    }
    return filled;
  }

 private:
  std::uint64_t left_;
};

class MemorySink final : public ImportSink {
 public:
  bool OnAccepted(Item) override { return true; }
  void OnDuplicate(const Duplicate& duplicate) override {
    if (duplicate.position.line == 100'000) early = InUse();
    if (duplicate.position.line == 1'000'000) late = InUse();
  }
  void OnRejected(const Rejection&) override {}

  static std::size_t InUse() {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
  }

  std::size_t early = 0;
  std::size_t late = 0;
};

TEST(Importer, MemoryDoesNotGrowWithTheNumberOfLines) {
  MemorySink sink;
  Importer importer(TestOptions(), &sink);
  EndlessSource source(1'000'000);

  const FileReport report = importer.Import("list.txt", &source);

  EXPECT_EQ(report.counts, (ImportCounts{100, 999'900, 0, 0}));
  EXPECT_EQ(sink.late, sink.early) << "bytes in use after 100,000 lines and after a million";
}

TEST(Importer, TheWorkForOneAddressWithManyPortsDoesNotGrowWithTheirNumber) {
  ImportRun run;
  std::string list;
  for (int port = 1; port < 65536; ++port) list += "198.18.33.7:" + std::to_string(port) + "\n";

  run.Take("list.txt", list);

  EXPECT_EQ(run.sink.items.size(), 65535u);
  // Growing by doubling touches each once or twice more; a table at three quarters needs a few looks a key.
  EXPECT_LT(run.importer.identities().probes(), 8u * 65535u);
}

}  // namespace
}  // namespace holdfast::importer
