// holdfast extract: what is asked, and what is shown of the answer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/cli_run.h"
#include "tests/cli/fake_daemon.h"
#include "tests/cli/samples.h"

namespace holdfast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace controlplane::v1;

class ExtractCommand : public ::testing::Test {
 protected:
  CliRun Run(std::vector<std::string> arguments, const CliSetup& setup = {}) {
    arguments.insert(arguments.begin(), {"extract", "--client", "client-1"});
    return RunAt(daemon_.address(), std::move(arguments), setup);
  }

  FakeDaemon daemon_;
};

TEST_F(ExtractCommand, EveryOptionGoesAlong) {
  daemon_.distribution.AnswerExtract(SampleExtraction(1, 1));

  const CliRun run =
      Run({"--count",   "1",        "--request-id", "r-1",      "--label",          "country=DE",        "--label",
           "tier=gold", "--scheme", "http",         "--scheme", "SOCKS5H",          "--min-remaining",   "10m",
           "--hold",    "1h",       "--routing",    "shops",    "--all-or-nothing", "--resolves-secrets"});

  EXPECT_EQ(run.code, ExitCode::kDone) << run.error;
  const auto request = daemon_.distribution.extracts().at(0);
  EXPECT_EQ(request.client_id(), "client-1");
  EXPECT_EQ(request.request_id(), "r-1");
  EXPECT_EQ(request.count(), 1u);
  EXPECT_EQ(request.labels().at("country") + request.labels().at("tier"), "DEgold");
  EXPECT_THAT(request.schemes(), ElementsAre(PROXY_SCHEME_HTTP, PROXY_SCHEME_SOCKS5H));
  EXPECT_EQ(request.min_remaining().seconds(), 600);
  EXPECT_EQ(request.hold().seconds(), 3600);
  EXPECT_EQ(request.routing_id(), "shops");
  EXPECT_TRUE(request.all_or_nothing());
  EXPECT_TRUE(request.resolves_secrets());
  EXPECT_EQ(run.error, "") << "an id that was given is known";
}

TEST_F(ExtractCommand, WithoutOptionsNothingIsAskedForThatWasNotSaid) {
  daemon_.distribution.AnswerExtract(SampleExtraction(1, 1));

  Run({"--count", "1"});

  const auto request = daemon_.distribution.extracts().at(0);
  EXPECT_FALSE(request.has_hold());
  EXPECT_FALSE(request.has_min_remaining());
  EXPECT_FALSE(request.all_or_nothing());
  EXPECT_FALSE(request.resolves_secrets());
  EXPECT_THAT(request.schemes(), IsEmpty());
}

TEST_F(ExtractCommand, PeopleSeeWhatTheyHaveUntilWhenAndHowToGiveItBack) {
  daemon_.distribution.AnswerExtract(SampleExtraction(2, 2));

  const CliRun run = Run({"--count", "2"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_EQ(
      run.out,
      "PROXY                   URL                     SECRET  CAPACITY  USABLE UNTIL                  LABELS\n"
      "http://198.18.0.1:8080  http://198.18.0.1:8080  -              5  2026-09-01 02:00:00Z (in 2h)  country=DE\n"
      "http://198.18.0.2:8080  http://198.18.0.2:8080  -              5  2026-09-01 02:00:00Z (in 2h)  country=DE\n"
      "\n"
      "extracted    2 of 2 machines, 2 proxies, log sequence 4711\n"
      "extraction   e-1\n"
      "until        2026-09-01 01:00:00Z (in 1h)\n"
      "give back    holdfast release --client client-1 e-1\n");
  EXPECT_EQ(daemon_.distribution.extracts().at(0).request_id(), "drawn-1");
  EXPECT_EQ(run.error,
            "holdfast: with --request-id drawn-1 the same command gives the same answer, as long as the extraction "
            "stands\n");
}

TEST_F(ExtractCommand, SevenOfTenAreToldPlainlyInEveryFormat) {
  daemon_.distribution.AnswerExtract(SampleExtraction(7, 10));

  const CliRun table = Run({"--count", "10", "--request-id", "r"});
  const CliRun urls = Run({"--count", "10", "--request-id", "r", "--format", "url"});
  const CliRun json = Run({"--count", "10", "--request-id", "r", "--format", "json"});

  for (const CliRun* run : {&table, &urls, &json}) {
    EXPECT_EQ(run->code, ExitCode::kFoundWanting);
    EXPECT_THAT(run->error, HasSubstr("holdfast: 7 of 10 machines: no more were free and fit."));
    EXPECT_THAT(run->error, HasSubstr("ask for the other 3 in a moment"));
  }
  EXPECT_EQ(json.Json()["machines"], 7);
  EXPECT_EQ(json.Json()["requested"], 10);
}

TEST_F(ExtractCommand, TheSchemesOfOneMachineAreOneMachine) {
  auto answer = SampleExtraction(1, 2);
  auto& other = *answer.add_proxies() = answer.proxies(0);
  other.mutable_endpoint()->set_scheme(PROXY_SCHEME_SOCKS5);
  daemon_.distribution.AnswerExtract(answer);

  const CliRun run = Run({"--count", "2"});

  EXPECT_EQ(run.code, ExitCode::kFoundWanting);
  EXPECT_THAT(run.out, HasSubstr("1 of 2 machines, 2 proxies"));
}

TEST_F(ExtractCommand, UrlsStandAloneOnALineAndIpv6InBrackets) {
  auto answer = SampleExtraction(2, 2);
  auto& endpoint = *answer.mutable_proxies(1)->mutable_endpoint();
  endpoint.set_scheme(PROXY_SCHEME_SOCKS5H);
  endpoint.set_host("2001:db8::7");
  daemon_.distribution.AnswerExtract(answer);

  const CliRun urls = Run({"--count", "2", "--format", "url"});
  const CliRun curl = Run({"--count", "2", "--format", "CURL"});

  EXPECT_EQ(urls.out, "http://198.18.0.1:8080\nsocks5h://[2001:db8::7]:8080\n");
  EXPECT_EQ(curl.out, "--proxy http://198.18.0.1:8080\n--proxy socks5h://[2001:db8::7]:8080\n");
  EXPECT_THAT(urls.error, HasSubstr("holdfast: extraction e-1, until 2026-09-01 01:00:00Z (in 1h); give it back with "
                                    "`holdfast release --client client-1 e-1`\n"));
}

TEST_F(ExtractCommand, ASecretIsNamedByItsReferenceBesideTheUrls) {
  auto answer = SampleExtraction(2, 2);
  answer.mutable_proxies(1)->set_secret_ref("cred-1");
  daemon_.distribution.AnswerExtract(answer);

  const CliRun urls = Run({"--count", "2", "--resolves-secrets", "--format", "url"});
  const CliRun json = Run({"--count", "2", "--resolves-secrets", "--json"});

  EXPECT_EQ(urls.out, "http://198.18.0.1:8080\nhttp://198.18.0.2:8080\n");
  EXPECT_THAT(urls.error, HasSubstr("holdfast: http://198.18.0.2:8080 wants the secret of secret_ref cred-1\n"));
  EXPECT_EQ(json.Json()["proxies"][0]["secret_ref"], nullptr);
  EXPECT_EQ(json.Json()["proxies"][1]["secret_ref"], "cred-1");
}

TEST_F(ExtractCommand, TextOfTheServerWritesNeitherToATerminalNorToAShell) {
  auto answer = SampleExtraction(1, 1);
  answer.set_extraction_id("e\x1b[2J\n1");
  auto& proxy = *answer.mutable_proxies(0);
  proxy.mutable_endpoint()->set_host("a\n; rm 'x' $(y)\x1b[2J");
  (*proxy.mutable_labels())["country"] = "\x1b[2J\nfake";
  proxy.set_secret_ref("\x1b[31mred");
  daemon_.distribution.AnswerExtract(answer);

  const CliRun table = Run({"--count", "1"});
  const CliRun urls = Run({"--count", "1", "--format", "url"});

  for (const CliRun* run : {&table, &urls}) EXPECT_EQ((run->out + run->error).find('\x1b'), std::string::npos);
  EXPECT_EQ(urls.out, "http://a%0a%3b%20rm%20%27x%27%20%24%28y%29%1b%5b2J:8080\n");
  EXPECT_THAT(table.out, HasSubstr("extraction   e\\x1b[2J\\x0a1\n"));
}

TEST(ExtractCommandLine, MistakesEndWithTwoBeforeAnythingIsAsked) {
  const std::vector<std::vector<std::string>> mistakes = {
      {"extract", "--count", "1"},
      {"extract", "--client", "c"},
      {"extract", "--client", "c", "--count", "0"},
      {"extract", "--client", "c", "--count", "-1"},
      {"extract", "--client", "c", "--count", "1", "--scheme", "gopher"},
      {"extract", "--client", "c", "--count", "1", "--hold", "soon"},
      {"extract", "--client", "c", "--count", "1", "--label", "country"},
      {"extract", "--client", "c", "--count", "1", "--request-id", ""},
      {"extract", "--client", "c", "--count", "1", "--format", "xml"},
      {"extract", "--client", "c", "--count", "1", "--format", "url", "--json"},
      {"release", "--client", "c"},
      {"release", "e-1"},
  };
  for (const auto& arguments : mistakes) {
    const CliRun run = RunCommand(arguments);

    EXPECT_EQ(run.code, ExitCode::kCouldNotRun) << ::testing::PrintToString(arguments);
    EXPECT_EQ(run.out, "");
  }
}

}  // namespace
}  // namespace holdfast::cli
