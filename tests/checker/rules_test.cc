// The small rules, each by itself: addresses, secrets, the judge's report, anonymity, plans and their time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include "base/wall_clock.h"
#include "tests/checker/child_process.h"
#include "tests/checker/engine_fixture.h"
#include "tools/checker/anonymity.h"
#include "tools/checker/check_plan.h"
#include "tools/import/secrets_writer.h"

namespace holdfast::checker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// ---- AddressPolicy --------------------------------------------------------------------------------------------------

TEST(AddressPolicy, PublicAddressesAndNamesMayBeDialled) {
  const AddressPolicy policy(false);

  for (const char* host : {"203.0.113.7", "2001:db8::7", "[2001:db8::7]", "proxy.example", "8.8.8.8"}) {
    EXPECT_EQ(policy.RefusesHost(host), std::nullopt) << host;
  }
}

TEST(AddressPolicy, OwnNetworksOnlyWhereTheyAreAllowed) {
  for (const char* host : {"127.0.0.1", "127.8.9.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "100.64.0.1", "::1",
                           "fd00::1", "localhost", "db.localhost", "::ffff:10.0.0.1", "2002:0a00:0001::"}) {
    EXPECT_NE(AddressPolicy(false).RefusesHost(host), std::nullopt) << host;
    EXPECT_EQ(AddressPolicy(true).RefusesHost(host), std::nullopt) << host;
  }
}

TEST(AddressPolicy, LoopbackOnlyIsThatAlsoWhereOthersAreAllowed) {
  for (const bool allow_private : {false, true}) {
    const AddressPolicy policy(allow_private, true);
    for (const char* host : {"127.0.0.1", "::1", "localhost"})
      EXPECT_EQ(policy.RefusesHost(host), std::nullopt) << host;
    for (const char* host : {"203.0.113.7", "198.18.0.1", "10.1.2.3", "proxy.example", "2001:db8::7"}) {
      EXPECT_NE(policy.RefusesHost(host), std::nullopt) << host;
    }
  }
}

TEST(AddressPolicy, WhatIsNoAddressOfOneMachineIsNeverDialled) {
  for (const char* host : {"169.254.169.254", "fe80::1", "224.0.0.1", "ff02::1", "0.0.0.0", "::", "0.1.2.3",
                           "255.255.255.255", "240.0.0.1", "::ffff:169.254.0.1"}) {
    EXPECT_NE(AddressPolicy(false).RefusesHost(host), std::nullopt) << host;
    EXPECT_NE(AddressPolicy(true).RefusesHost(host), std::nullopt) << host;
  }
}

TEST(AddressPolicy, ASocketAddressIsReadInBothFamiliesAndNoOther) {
  sockaddr_in6 mapped{};
  mapped.sin6_family = AF_INET6;
  mapped.sin6_addr.s6_addr[10] = mapped.sin6_addr.s6_addr[11] = 0xff;
  mapped.sin6_addr.s6_addr[12] = 127;
  mapped.sin6_addr.s6_addr[15] = 1;
  sockaddr other{};
  other.sa_family = AF_UNIX;

  EXPECT_EQ(AddressPolicy(false).Refuses(reinterpret_cast<const sockaddr&>(mapped)), AddressKind::kLoopback);
  EXPECT_NE(AddressPolicy(true).Refuses(other), std::nullopt);
}

// ---- SecretBook -----------------------------------------------------------------------------------------------------

TEST(SecretBook, ReadsWhatTheImportWrites) {
  importer::SecretStore store;
  store.Add("cred-1", {"alice", "open:sesame"});
  store.Add("cred-2", {"token", std::nullopt});
  const std::string path = TestPath("written.json");
  ASSERT_TRUE(importer::WriteSecrets(store, path).ok());

  const auto book = SecretBook::Load(path);

  ASSERT_TRUE(book.ok()) << book.status();
  EXPECT_EQ(book->Resolve("cred-1"), (Credential{"alice", "open:sesame"}));
  EXPECT_EQ(book->Resolve("cred-2"), (Credential{"token", std::nullopt}));
  EXPECT_EQ(book->Resolve("cred-3"), std::nullopt);
  EXPECT_TRUE(book->HasAny());
}

TEST(SecretBook, AFileThatOthersMayReadOrWriteIsRefusedWithWhatToDo) {
  const std::string path = WriteFile("open.json", "{}");
  for (const mode_t mode : {0640, 0604, 0620, 0602, 0610, 0601}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    const auto book = SecretBook::Load(path);
    ASSERT_FALSE(book.ok()) << std::oct << mode;
    EXPECT_THAT(std::string(book.status().message()), HasSubstr("chmod 600"));
  }
  ASSERT_EQ(chmod(path.c_str(), 0400), 0);
  EXPECT_TRUE(SecretBook::Load(path).ok());
}

TEST(SecretBook, WhatIsNoSecretsFileIsRefusedAndNeverRepeated) {
  for (const char* text : {"", "sesame", "[\"sesame\"]", R"({"sesame": 1})", R"({"a": {"password": "sesame"}})",
                           R"({"a": {"username": "sesame", "password": 1}})", R"({"a": {"username": "sesame")"}) {
    const auto book = SecretBook::Load(WriteFile("bad.json", text));
    ASSERT_FALSE(book.ok()) << text;
    EXPECT_THAT(std::string(book.status().message()), Not(HasSubstr("sesame")));
    EXPECT_THAT(std::string(book.status().message()), HasSubstr("--secrets-out"));
  }
  EXPECT_FALSE(SecretBook::Load(TestPath("absent.json")).ok());
  EXPECT_FALSE(SecretBook::Load(::testing::TempDir()).ok()) << "a folder";
}

TEST(SecretBook, WhatNoProxyCanBeSentIsUnknownAndTheOthersStay) {
  const std::string long_one(5000, 'x');
  const auto book = SecretBook::Load(WriteFile("odd.json", R"({
    "none": {"username": "", "password": "a"}, "line": {"username": "a", "password": "b\nc"},
    "zero": {"username": "a\u0000b"}, "good": {"username": "a", "password": "ü % : @ / "},
    "long": {"username": "a", "password": ")" + long_one + R"("}})"));

  ASSERT_TRUE(book.ok()) << book.status();
  for (const char* secret_ref : {"none", "line", "zero", "long"}) {
    EXPECT_EQ(book->Resolve(secret_ref), std::nullopt) << secret_ref;
  }
  EXPECT_EQ(book->Resolve("good"), (Credential{"a", "ü % : @ / "}));
}

TEST(SecretBook, TheEnvironmentHoldsWhatTheFileLacks) {
  setenv("HOLDFAST_SECRET_cred_2D1", "alice:open:sesame", 1);
  setenv("HOLDFAST_SECRET_bare", "token", 1);
  setenv("HOLDFAST_SECRET_empty", "", 1);
  const auto book = SecretBook::Load(WriteFile("first.json", R"({"bare": {"username": "of-the-file"}})"));

  ASSERT_TRUE(book.ok());
  EXPECT_EQ(book->Resolve("cred-1"), (Credential{"alice", "open:sesame"}));
  EXPECT_EQ(book->Resolve("bare"), (Credential{"of-the-file", std::nullopt}));
  EXPECT_EQ(SecretBook().Resolve("bare"), (Credential{"token", std::nullopt}));
  EXPECT_EQ(SecretBook().Resolve("empty"), std::nullopt);
  EXPECT_TRUE(SecretBook().HasAny());

  for (const char* name : {"cred_2D1", "bare", "empty"}) unsetenv((std::string("HOLDFAST_SECRET_") + name).c_str());
  EXPECT_FALSE(SecretBook().HasAny());
}

TEST(SecretBook, NoTwoReferencesShareAVariable) {
  EXPECT_EQ(SecretBook::VariableOf("cred-1"), "HOLDFAST_SECRET_cred_2D1");
  EXPECT_EQ(SecretBook::VariableOf("cred_1"), "HOLDFAST_SECRET_cred_5F1");
  EXPECT_EQ(SecretBook::VariableOf("cred.1"), "HOLDFAST_SECRET_cred_2E1");
  EXPECT_EQ(SecretBook::VariableOf("CRED1"), "HOLDFAST_SECRET_CRED1");
}

// ---- the judge's report ---------------------------------------------------------------------------------------------

TEST(JudgeReport, IsReadWithEveryHeaderOfOneName) {
  const auto report = ParseJudgeReport(
      R"({"address": "2001:DB8::0:1", "headers": {"Via": ["a", "b"], "via": ["c"]}, "nonce": "n1", "more": 1})", "n1");

  ASSERT_TRUE(report);
  EXPECT_EQ(report->address.ToString(), "2001:db8::1");
  ASSERT_EQ(report->headers.size(), 3);
  for (const SeenHeader& header : report->headers) EXPECT_EQ(header.name, "via");
}

TEST(JudgeReport, AnythingElseIsNone) {
  for (const char* body :
       {"", "<html>", "[]", "{}", R"({"nonce": "n1"})", R"({"nonce": "n1", "address": "1.2.3.4"})",
        R"({"nonce": "n2", "address": "1.2.3.4", "headers": {}})",
        R"({"nonce": null, "address": "1.2.3.4", "headers": {}})",
        R"({"nonce": "n1", "address": "here", "headers": {}})", R"({"nonce": "n1", "address": 7, "headers": {}})",
        R"({"nonce": "n1", "address": "1.2.3.4", "headers": []})",
        R"({"nonce": "n1", "address": "1.2.3.4", "headers": {"a": "b"}})",
        R"({"nonce": "n1", "address": "1.2.3.4", "headers": {"a": [1]}})",
        R"({"nonce": "n1", "address": "1.2.3.4", "headers": {}} and more)"}) {
    EXPECT_FALSE(ParseJudgeReport(body, "n1")) << body;
  }
  EXPECT_TRUE(ParseJudgeReport(R"({"nonce": "n1", "address": "1.2.3.4", "headers": {}})", "n1"));
}

// ---- anonymity ------------------------------------------------------------------------------------------------------

IpAddress Address(const char* text) { return *ParseAddress(text); }

// Seen without a proxy: 203.0.113.7, with the headers that the checker sends.
OwnTraces Own() {
  return {{Address("203.0.113.7"), Address("2001:db8::7")},
          {{"host", "203.0.113.7:8080"}, {"user-agent", "holdfast-checker"}, {"accept", "*/*"}}};
}

wire::Anonymity Through(const std::vector<SeenHeader>& added, const char* peer = "198.51.100.1") {
  JudgeReport report{Address(peer), Own().headers};
  report.headers.insert(report.headers.end(), added.begin(), added.end());
  return DeriveAnonymity(report, Own());
}

TEST(Anonymity, NothingAddedIsElite) {
  EXPECT_EQ(Through({}), wire::ANONYMITY_ELITE);
  EXPECT_EQ(Through({{"connection", "close"}, {"content-length", "0"}, {"te", "trailers"}}), wire::ANONYMITY_ELITE);
}

TEST(Anonymity, AnyHeaderThatWeDoNotSendIsASign) {
  for (const char* name : {"via", "x-forwarded-for", "forwarded", "proxy-connection", "x-real-ip", "x-unheard-of"}) {
    EXPECT_EQ(Through({{name, "unknown"}}), wire::ANONYMITY_ANONYMOUS) << name;
  }
  EXPECT_EQ(Through({{"x-forwarded-for", "203.0.113.70"}}), wire::ANONYMITY_ANONYMOUS) << "another's address";
}

TEST(Anonymity, OurAddressInAnyHeaderOrSpellingIsTransparent) {
  for (const char* value : {"203.0.113.7", "10.0.0.1, 203.0.113.7", "for=203.0.113.7;proto=http", "203.0.113.7:4711",
                            "for=\"[2001:db8::7]:4711\"", "2001:0DB8:0:0::7", "::ffff:203.0.113.7",
                            "1.1 host (203.0.113.7)", "client is 203.0.113.7."}) {
    EXPECT_EQ(Through({{"x-whatever", value}}), wire::ANONYMITY_TRANSPARENT) << value;
  }
  EXPECT_EQ(Through({{"user-agent", "seen from 203.0.113.7"}}), wire::ANONYMITY_TRANSPARENT);
}

TEST(Anonymity, OurAddressAsThePeerIsTransparent) {
  EXPECT_EQ(Through({}, "203.0.113.7"), wire::ANONYMITY_TRANSPARENT);
  EXPECT_EQ(Through({}, "2001:db8::7"), wire::ANONYMITY_TRANSPARENT);
}

// ---- plans ----------------------------------------------------------------------------------------------------------

class CheckPlanTest : public ::testing::Test {
 protected:
  std::variant<CheckPlan, Trouble> Plan(const wire::CheckTask& task) {
    return MakePlan(task, {settings_, policy_, secrets_, *random_});
  }
  Trouble TroubleOf(const wire::CheckTask& task) {
    const auto made = Plan(task);
    return std::holds_alternative<Trouble>(made) ? std::get<Trouble>(made) : Trouble::kNone;
  }
  std::string UrlOf(const wire::CheckTask& task) { return std::get<CheckPlan>(Plan(task)).order.question.url; }

  CheckSettings settings_ = LoopbackSettings(4711);
  AddressPolicy policy_{true};
  SecretBook secrets_;
  const std::unique_ptr<RandomSource> random_ = SystemRandomSource();
};

TEST_F(CheckPlanTest, EachLevelAsksItsOwnQuestion) {
  EXPECT_EQ(UrlOf(BasicTask(wire::PROXY_SCHEME_HTTP, 1)), "http://127.0.0.1:4711/");
  EXPECT_THAT(UrlOf(EgressTask(wire::PROXY_SCHEME_HTTP, 1)),
              ::testing::MatchesRegex("http://127.0.0.1:4711/.nonce=.{32}"));
  EXPECT_EQ(UrlOf(TargetTask(wire::PROXY_SCHEME_HTTP, 1, "https://example.com/a?b")), "https://example.com/a?b");
}

TEST_F(CheckPlanTest, NoTwoQuestionsToTheJudgeHaveOneNonceAndAnOwnQueryStays) {
  settings_.judge_url = "http://judge.example/see?token=1";
  const wire::CheckTask task = EgressTask(wire::PROXY_SCHEME_HTTP, 1);

  EXPECT_THAT(UrlOf(task), ::testing::StartsWith("http://judge.example/see?token=1&nonce="));
  EXPECT_NE(UrlOf(task), UrlOf(task));
}

TEST_F(CheckPlanTest, Socks4CannotReachAnIpv6Echo) {
  settings_.echo = HostAndPort{"2001:db8::1", 7};

  EXPECT_EQ(TroubleOf(BasicTask(wire::PROXY_SCHEME_SOCKS4, 1)), Trouble::kNotConfigured);
  EXPECT_EQ(UrlOf(BasicTask(wire::PROXY_SCHEME_SOCKS5, 1)), "http://[2001:db8::1]:7/");
}

TEST_F(CheckPlanTest, ATargetInsideTheCheckersOwnNetworkIsRefusedAsAProxyThereIs) {
  policy_ = AddressPolicy(false);
  wire::CheckTask task = TargetTask(wire::PROXY_SCHEME_HTTP, 1, "http://127.0.0.1/");
  EXPECT_EQ(TroubleOf(task), Trouble::kRefusedAddress) << "the proxy";

  task.mutable_endpoint()->set_host("203.0.113.1");
  for (const char* url : {"http://127.0.0.1/", "http://[::1]/", "http://localhost:80/", "http://169.254.169.254/latest",
                          "http://0x7f.1/", "http://2130706433/", "https://10.0.0.1/"}) {
    task.mutable_target()->set_url(url);
    EXPECT_EQ(TroubleOf(task), Trouble::kRefusedAddress) << url;
  }
  task.mutable_target()->set_url("http://198.51.100.1/");
  EXPECT_EQ(TroubleOf(task), Trouble::kNone);
}

TEST_F(CheckPlanTest, TheShorterOfTheTasksAndTheTargetsTimeCounts) {
  wire::CheckTask task = TargetTask(wire::PROXY_SCHEME_HTTP, 1, "http://example.com/");
  SetTimeout(task, std::chrono::seconds(10));
  const auto total = [&] { return std::get<CheckPlan>(Plan(task)).budget.total; };

  EXPECT_EQ(total(), std::chrono::seconds(10));
  task.mutable_target()->mutable_timeout()->set_seconds(4);
  EXPECT_EQ(total(), std::chrono::seconds(4));
  task.mutable_target()->mutable_timeout()->set_seconds(60);
  EXPECT_EQ(total(), std::chrono::seconds(10));
  SetTimeout(task, std::chrono::hours(3));
  task.mutable_target()->clear_timeout();
  EXPECT_EQ(total(), std::chrono::minutes(10));
}

TEST(TimeBudget, KeepsTimeForTheDirectPathHoweverLittleThereIs) {
  using std::chrono::milliseconds;

  EXPECT_EQ(BudgetOf(milliseconds(10'000)).reserve, milliseconds(1'500));
  EXPECT_EQ(BudgetOf(milliseconds(5'000)).reserve, milliseconds(1'000));
  EXPECT_EQ(BudgetOf(milliseconds(1'000)).reserve, milliseconds(300));
  EXPECT_EQ(BudgetOf(milliseconds(100)).reserve, milliseconds(50));
  for (const int total : {20, 100, 1'000, 10'000, 600'000}) {
    const TimeBudget budget = BudgetOf(milliseconds(total));
    EXPECT_GT(budget.reserve, budget.margin) << total;
    EXPECT_GT(budget.total, budget.reserve) << total;
  }
}

}  // namespace
}  // namespace holdfast::checker
