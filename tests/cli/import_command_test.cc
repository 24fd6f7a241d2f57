// `holdfast import` against a daemon: counts, faults, resuming, replacing, credentials.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/cli/cli_run.h"
#include "tests/cli/fake_daemon.h"
#include "tests/cli/status_details.h"
#include "tools/cli/import_batch.h"

namespace holdfast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// `count` different proxies, a line each.
std::string List(std::size_t count, std::size_t from = 0) {
  std::string text;
  for (std::size_t i = from; i < from + count; ++i) {
    text += "198.18." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1) + ":8080\n";
  }
  return text;
}

grpc::Status Broken() { return {grpc::StatusCode::UNAVAILABLE, "the connection is gone"}; }

TEST(ImportCommand, CountsAddUpAndSecondTimeNothingIsNew) {
  FakeDaemon daemon;
  const std::string file = WriteTestFile("list.txt", "# head\n\n" + List(3) + "198.18.0.1:8080\nnonsense\n");

  const CliRun first = RunAt(daemon.address(), {"import", file, "--json"});
  const CliRun second = RunAt(daemon.address(), {"import", file, "--json"});

  EXPECT_EQ(first.code, ExitCode::kFoundWanting);
  EXPECT_EQ(first.Json()["added"], 3);
  EXPECT_EQ(first.Json()["duplicates"], 1);
  EXPECT_EQ(first.Json()["rejected"], 1);
  EXPECT_EQ(first.Json()["skipped"], 2);
  EXPECT_EQ(first.Json()["rejections"][0]["file"], file);
  EXPECT_EQ(first.Json()["rejections"][0]["line"], 7);
  EXPECT_EQ(second.Json()["added"], 0);
  EXPECT_EQ(second.Json()["unchanged"], 3);
}

TEST(ImportCommand, WithoutRejectionsItEndsWithZeroAndTellsInOneLine) {
  FakeDaemon daemon;

  const CliRun run = RunAt(daemon.address(), {"import", "-"}, {.in = List(2)});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_EQ(run.out, "2 added, 0 updated, 0 unchanged, 0 duplicates, 0 rejected, 0 skipped; log sequence 101\n");
  EXPECT_EQ(run.error, "");
}

TEST(ImportCommand, RejectionsOfTheDaemonNameFileAndLine) {
  FakeDaemon daemon;
  daemon.pool.RejectHost("198.18.0.2", admin::v1::IMPORT_REASON_LIFETIME_BELOW_MARGIN, "lives for 10s only");
  const std::string first = WriteTestFile("first.txt", "198.18.9.9:80\n");
  const std::string second = WriteTestFile("second.txt", "# head\n198.18.0.1:80\n198.18.0.2:80\n");

  const CliRun run = RunAt(daemon.address(), {"import", first, second});

  EXPECT_EQ(run.code, ExitCode::kFoundWanting);
  EXPECT_THAT(run.out, HasSubstr(second + ":3"));
  EXPECT_THAT(run.out, HasSubstr("lifetime_below_margin"));
  EXPECT_THAT(run.out, HasSubstr("lives for 10s only"));
}

TEST(ImportCommand, BatchesStayWithinTheBounds) {
  FakeDaemon daemon;
  const std::size_t count = kMaxBatchItems * 2 + 10;

  const CliRun run = RunAt(daemon.address(), {"import", "-", "--json"}, {.in = List(count)});

  EXPECT_EQ(run.Json()["added"], count);
  ASSERT_EQ(daemon.pool.batches().size(), 3u);
  EXPECT_EQ(daemon.pool.streams(), 1u);
  for (const auto& batch : daemon.pool.batches()) {
    EXPECT_LE(static_cast<std::size_t>(batch.proxies_size()), kMaxBatchItems);
    EXPECT_LE(batch.ByteSizeLong(), kMaxBatchBytes);
  }
}

TEST(ImportCommand, ABrokenStreamGoesOnAfterTheLastAnsweredBatch) {
  FakeDaemon daemon;
  daemon.pool.BreakNextStream({.answers = 1, .commits_one_more = false, .status = Broken()});
  const std::size_t count = kMaxBatchItems * 3;

  const CliRun run = RunAt(daemon.address(), {"import", "-", "--json"}, {.in = List(count)});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_EQ(run.Json()["added"], count);
  EXPECT_EQ(daemon.pool.streams(), 2u);
  EXPECT_EQ(daemon.pool.batches().size(), 3u) << "the answered batch is not sent again";
  EXPECT_THAT(run.waits, ElementsAre(std::chrono::milliseconds(800)));
  EXPECT_THAT(run.error, HasSubstr("going on after the last answer"));
}

TEST(ImportCommand, ABatchWhoseAnswerWasLostIsSentAgainAndCountsOnce) {
  FakeDaemon daemon;
  daemon.pool.BreakNextStream({.answers = 1, .commits_one_more = true, .status = Broken()});
  const std::size_t count = kMaxBatchItems * 3;

  const CliRun run = RunAt(daemon.address(), {"import", "-", "--json"}, {.in = List(count)});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_EQ(run.Json()["added"], count - kMaxBatchItems);
  EXPECT_EQ(run.Json()["unchanged"], kMaxBatchItems);
}

TEST(ImportCommand, ABusyDaemonIsGivenTheTimeItAsksFor) {
  FakeDaemon daemon;
  controlplane::v1::ErrorDetail busy;
  busy.set_reason(controlplane::v1::REJECT_REASON_OVERLOADED);
  busy.mutable_retry_after()->set_seconds(7);
  daemon.pool.BreakNextStream({.status = Refusal(grpc::StatusCode::RESOURCE_EXHAUSTED, busy)});

  const CliRun run = RunAt(daemon.address(), {"import", "-"}, {.in = List(1)});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_THAT(run.waits, ElementsAre(std::chrono::milliseconds(7000)));
}

TEST(ImportCommand, PatienceEndsAndSaysWhatWasDoneAndHowToGoOn) {
  FakeDaemon daemon;
  daemon.pool.BreakNextStream({.answers = 1, .status = Broken()});
  for (int i = 0; i < 50; ++i) daemon.pool.BreakNextStream({.status = Broken()});

  const CliRun run = RunAt(daemon.address(), {"import", "-", "--json"}, {.in = List(kMaxBatchItems + 1)});

  EXPECT_EQ(run.code, ExitCode::kUnreachable);
  EXPECT_EQ(run.Json()["added"], kMaxBatchItems);
  EXPECT_EQ(run.Json()["incomplete"], true);
  EXPECT_THAT(run.error, HasSubstr("Run the same command again"));
  EXPECT_LT(run.waits.size(), 20u);
}

TEST(ImportCommand, WhatIsFinalIsNotTriedAgain) {
  FakeDaemon daemon;
  daemon.pool.BreakNextStream({.status = Refusal(grpc::StatusCode::PERMISSION_DENIED,
                                                 controlplane::v1::REJECT_REASON_IDENTITY_MISMATCH, "no operator")});

  const CliRun run = RunAt(daemon.address(), {"import", "-"}, {.in = List(1)});

  EXPECT_EQ(run.code, ExitCode::kRefused);
  EXPECT_THAT(run.waits, IsEmpty());
  EXPECT_THAT(run.error, HasSubstr("IDENTITY_MISMATCH: no operator"));
}

TEST(ImportCommand, ADaemonThatWasNeverThereIsToldAtOnce) {
  const CliRun run = RunAt("127.0.0.1:1", {"import", "-"}, {.in = List(1)});

  EXPECT_EQ(run.code, ExitCode::kUnreachable);
  EXPECT_THAT(run.waits, IsEmpty());
  EXPECT_THAT(run.error, HasSubstr("cannot reach holdfastd at 127.0.0.1:1"));
}

TEST(ImportCommand, ADaemonThatFallsSilentEndsWithTheDeadline) {
  FakeDaemon daemon;
  daemon.pool.FallSilent();

  const CliRun run = RunAt(daemon.address(), {"--deadline", "1s", "import", "-"}, {.in = List(1)});

  EXPECT_EQ(run.code, ExitCode::kDeadline);
  EXPECT_THAT(run.error, HasSubstr("said nothing for 1s"));
}

TEST(ImportCommand, AnAnswerThatDoesNotAddUpIsNotBelieved) {
  FakeDaemon daemon;
  daemon.pool.Miscount(true);

  const CliRun run = RunAt(daemon.address(), {"import", "-", "--json"}, {.in = List(2)});

  EXPECT_EQ(run.code, ExitCode::kCouldNotRun);
  EXPECT_THAT(run.error, HasSubstr("its counts add up to 3 of 2 items"));
  EXPECT_EQ(run.Json()["added"], 0);
}

TEST(ImportCommand, CtrlCTellsTheCountsSoFarAndHowToGoOn) {
  FakeDaemon daemon;
  Interrupt interrupt;
  daemon.pool.BreakNextStream({.answers = 1, .status = Broken()});
  const auto interrupted_while_waiting = [&](std::chrono::milliseconds) {
    interrupt.Request();
    return false;
  };

  const CliRun run =
      RunAt(daemon.address(), {"import", "-", "--json"},
            {.in = List(kMaxBatchItems + 1), .interrupt = &interrupt, .wait = interrupted_while_waiting});

  EXPECT_EQ(run.code, ExitCode::kCouldNotRun);
  EXPECT_EQ(run.Json()["added"], kMaxBatchItems);
  EXPECT_THAT(run.error, HasSubstr("interrupted"));
  EXPECT_THAT(run.error, HasSubstr("Run the same command again"));
}

TEST(ImportCommand, AnInterruptedReplaceSendsNothing) {
  FakeDaemon daemon;
  Interrupt interrupt;
  interrupt.Request();

  const CliRun run = RunAt(daemon.address(), {"import", "-", "--source", "shop", "--replace"},
                           {.in = List(5), .interrupt = &interrupt});

  EXPECT_EQ(run.code, ExitCode::kCouldNotRun);
  EXPECT_EQ(daemon.pool.streams(), 0u);
}

TEST(ImportCommand, ReplaceRemovesWhatTheSourceNoLongerNames) {
  FakeDaemon daemon;
  RunAt(daemon.address(), {"import", "-", "--source", "shop"}, {.in = List(4)});
  RunAt(daemon.address(), {"import", "-", "--source", "other"}, {.in = List(1, 100)});

  const CliRun run =
      RunAt(daemon.address(), {"import", "-", "--source", "shop", "--replace", "--json"}, {.in = List(3, 2)});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_EQ(run.Json()["added"], 1);
  EXPECT_EQ(run.Json()["unchanged"], 2);
  EXPECT_EQ(run.Json()["removed"], 2);
  EXPECT_EQ(daemon.pool.ids().size(), 4u);
  EXPECT_EQ(daemon.pool.ids().count("http://198.18.0.101:8080"), 1u) << "another source is left alone";
}

TEST(ImportCommand, ABrokenReplaceBeginsAgainAlsoFromStandardInput) {
  FakeDaemon daemon;
  RunAt(daemon.address(), {"import", "-", "--source", "shop"}, {.in = List(1, 5000)});
  daemon.pool.BreakNextStream({.answers = 1, .commits_one_more = true, .status = Broken()});
  const std::size_t count = kMaxBatchItems * 2 + 5;

  const CliRun run =
      RunAt(daemon.address(), {"import", "-", "--source", "shop", "--replace", "--json"}, {.in = List(count)});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_EQ(run.Json()["added"].get<std::size_t>() + run.Json()["unchanged"].get<std::size_t>(), count)
      << "the counts of the stream that broke are taken back";
  EXPECT_EQ(run.Json()["removed"], 1);
  EXPECT_EQ(daemon.pool.ids().size(), count);
  const auto batches = daemon.pool.batches();
  EXPECT_EQ(batches[batches.size() - 1].replace_source(), "shop");
  EXPECT_EQ(batches[batches.size() - 2].replace_source(), "");
}

TEST(ImportCommand, AReplaceNamesWhatItRejectsSoThatItStays) {
  FakeDaemon daemon;
  RunAt(daemon.address(), {"import", "-", "--source", "shop", "--format", "csv"},
        {.in = "scheme,host,port,capacity\nhttp,198.18.0.1,8080,1\nhttp,198.18.0.2,8080,1\n"});

  const CliRun run =
      RunAt(daemon.address(), {"import", "-", "--source", "shop", "--format", "csv", "--replace", "--json"},
            {.in = "scheme,host,port,capacity\nhttp,198.18.0.1,8080,1\nhttp,198.18.0.2,8080,many\n"});

  EXPECT_EQ(run.code, ExitCode::kFoundWanting);
  EXPECT_EQ(run.Json()["unchanged"], 1);
  EXPECT_EQ(run.Json()["rejected"], 1);
  EXPECT_EQ(run.Json()["removed"], 0);
  EXPECT_EQ(daemon.pool.ids().size(), 2u) << "a typing error in a list takes no proxy away";
}

TEST(ImportCommand, AListThatIsEmptyOrCutReplacesNothing) {
  FakeDaemon daemon;
  RunAt(daemon.address(), {"import", "-", "--source", "shop"}, {.in = List(4)});
  const std::string cut = WriteTestFile("cut.json", R"([{"ip": "198.18.0.1", "port": 8080}, {"ip": "198.1)");
  const std::string good = WriteTestFile("good.txt", List(2));

  const CliRun empty = RunAt(daemon.address(), {"import", "-", "--source", "shop", "--replace"}, {.in = "# nothing\n"});
  const CliRun broken = RunAt(daemon.address(), {"import", good, cut, "--source", "shop", "--replace"});

  EXPECT_EQ(empty.code, ExitCode::kCouldNotRun);
  EXPECT_THAT(empty.error, HasSubstr("Nothing was sent or removed"));
  EXPECT_EQ(broken.code, ExitCode::kCouldNotRun);
  EXPECT_THAT(broken.error, HasSubstr("cut.json"));
  EXPECT_EQ(daemon.pool.ids().size(), 4u);
}

TEST(ImportCommand, WhoeverAsksForItEmptiesASource) {
  FakeDaemon daemon;
  RunAt(daemon.address(), {"import", "-", "--source", "shop"}, {.in = List(4)});

  const CliRun run =
      RunAt(daemon.address(), {"import", "-", "--source", "shop", "--replace", "--allow-empty", "--json"},
            {.in = "# nothing\n"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_EQ(run.Json()["removed"], 4);
  EXPECT_THAT(daemon.pool.ids(), IsEmpty());
}

TEST(ImportCommand, OneBadFileCostsThatFile) {
  FakeDaemon daemon;
  const std::string cut = WriteTestFile("cut.json", R"([{"ip": "198.18.0.1", "port": 8080}, {"ip": "198.1)");
  const std::string good = WriteTestFile("good.txt", List(2));

  const CliRun run = RunAt(daemon.address(), {"import", cut, good, "--json"});

  EXPECT_EQ(run.code, ExitCode::kFoundWanting);
  EXPECT_EQ(run.Json()["added"], 2);
  EXPECT_EQ(run.Json()["rejections"][0]["line"], 0) << "the file as a whole";
  EXPECT_EQ(run.Json()["rejections"][0]["reason"], "bad_json");
}

TEST(ImportCommand, AFileThatIsNotThereStopsItBeforeAnythingIsSent) {
  FakeDaemon daemon;
  const std::string good = WriteTestFile("good.txt", List(2));

  const CliRun run = RunAt(daemon.address(), {"import", good, TestPath("gone.txt")});
  const CliRun directory = RunAt(daemon.address(), {"import", std::filesystem::path(good).parent_path().string()});

  EXPECT_EQ(run.code, ExitCode::kCouldNotRun);
  EXPECT_THAT(run.error, HasSubstr("gone.txt"));
  EXPECT_EQ(directory.code, ExitCode::kCouldNotRun);
  EXPECT_EQ(daemon.pool.streams(), 0u);
}

TEST(ImportCommand, LabelsZoneAndSourceGoWithEveryProxy) {
  FakeDaemon daemon;

  RunAt(daemon.address(),
        {"import", "-", "--source", "shop", "--zone", "eu", "--label", "tier=gold", "--label", "a=b=c"},
        {.in = List(1)});

  ASSERT_EQ(daemon.pool.batches().size(), 1u);
  const admin::v1::ProxySpec spec = daemon.pool.batches()[0].proxies(0);
  EXPECT_EQ(spec.source(), "shop");
  EXPECT_EQ(spec.zone(), "eu");
  EXPECT_EQ(spec.labels().at("tier"), "gold");
  EXPECT_EQ(spec.labels().at("a"), "b=c");
}

TEST(ImportCommand, ADryRunSendsNothingAndShowsEachItem) {
  FakeDaemon daemon;
  const std::string secrets = TestPath("secrets.json");

  const CliRun run = RunAt(daemon.address(), {"import", "-", "--dry-run", "--json", "--secrets-out", secrets},
                           {.in = "198.18.0.1:8080\nsocks5://alice:hunter2@198.18.0.2:1080\nnonsense\n"});

  EXPECT_EQ(run.code, ExitCode::kFoundWanting);
  EXPECT_EQ(run.Json()["added"], 2);
  EXPECT_EQ(run.Json()["rejected"], 1);
  ASSERT_EQ(run.Json()["items"].size(), 2u);
  EXPECT_EQ(run.Json()["items"][1]["scheme"], "socks5");
  EXPECT_EQ(run.Json()["items"][1]["line"], 2);
  EXPECT_THAT(run.out, Not(HasSubstr("hunter2")));
  EXPECT_EQ(daemon.pool.streams(), 0u);
  EXPECT_FALSE(std::filesystem::exists(secrets));
}

TEST(ImportCommand, CredentialsGoToTheFileThatWasNamedAndNowhereElse) {
  FakeDaemon daemon;
  const std::string secrets = TestPath("secrets.json");
  const std::string list = "http://alice:hunter2@198.18.0.1:8080\n198.18.0.2:8080:bob:p@ss:word\n";

  const CliRun run = RunAt(daemon.address(), {"import", "-", "--secrets-out", secrets, "--json"}, {.in = list});

  EXPECT_EQ(run.code, ExitCode::kDone);
  const auto saved = nlohmann::json::parse(ReadTestFile(secrets));
  const std::string reference = daemon.pool.batches()[0].proxies(0).secret_ref();
  EXPECT_EQ(saved[reference]["username"], "alice");
  EXPECT_EQ(saved[reference]["password"], "hunter2");
  EXPECT_EQ(saved.size(), 2u);
  struct stat state;
  ASSERT_EQ(stat(secrets.c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777, 0600u);
  for (const char* secret : {"alice", "hunter2", "bob", "p@ss"}) {
    EXPECT_THAT(run.out + run.error + daemon.pool.everything_heard(), Not(HasSubstr(secret)));
  }
}

TEST(ImportCommand, CredentialsThatNobodyKeepsAreWarnedOf) {
  FakeDaemon daemon;

  const CliRun run = RunAt(daemon.address(), {"import", "-"}, {.in = "http://alice:hunter2@198.18.0.1:8080\n"});

  EXPECT_EQ(run.code, ExitCode::kDone);
  EXPECT_THAT(run.error, HasSubstr("NOT kept"));
  EXPECT_THAT(run.error, HasSubstr("--secrets-out FILE"));
  EXPECT_THAT(run.out + run.error, Not(HasSubstr("hunter2")));
}

TEST(ImportCommand, APasswordOnTheCommandLineIsRefusedWithoutRepeatingIt) {
  FakeDaemon daemon;

  const CliRun as_file = RunAt(daemon.address(), {"import", "http://alice:hunter2@198.18.0.1:8080"});
  const CliRun as_label = RunAt(daemon.address(), {"import", "-", "--label", "at=http://alice:hunter2@198.18.0.1"});
  const CliRun as_source =
      RunAt(daemon.address(), {"import", "-", "--source", "http://alice:hunter2@shop.example.com"});

  for (const CliRun* run : {&as_file, &as_label, &as_source}) {
    EXPECT_EQ(run->code, ExitCode::kCouldNotRun);
    EXPECT_THAT(run->out + run->error, Not(HasSubstr("hunter2")));
  }
  EXPECT_EQ(daemon.pool.streams(), 0u);
}

TEST(ImportCommand, ProgressIsForTerminalsAlone) {
  FakeDaemon daemon;

  const CliRun terminal = RunAt(daemon.address(), {"import", "-"}, {.in = List(3), .terminal = true});
  const CliRun pipe = RunAt(daemon.address(), {"import", "-"}, {.in = List(3)});

  EXPECT_THAT(terminal.error, HasSubstr("3 proxies read, 3 answered"));
  EXPECT_TRUE(terminal.error.ends_with("\r\x1b[K")) << "the line is wiped before the report";
  EXPECT_EQ(pipe.error, "");
  EXPECT_EQ(terminal.out.find('\x1b'), std::string::npos);
}

TEST(ImportCommand, ManyRejectionsAreListedUpToALimitAndCountedWhole) {
  FakeDaemon daemon;
  std::string list;
  for (int i = 0; i < 250; ++i) list += "nonsense" + std::to_string(i) + "\n";

  const CliRun people = RunAt(daemon.address(), {"import", "-"}, {.in = list});
  const CliRun three = RunAt(daemon.address(), {"import", "-", "--json", "--rejections", "3"}, {.in = list});

  EXPECT_THAT(people.out, HasSubstr("and 150 more"));
  EXPECT_THAT(people.out, HasSubstr("250 rejected"));
  EXPECT_EQ(three.Json()["rejected"], 250);
  EXPECT_EQ(three.Json()["rejections"].size(), 3u);
}

}  // namespace
}  // namespace holdfast::cli
