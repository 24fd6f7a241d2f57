// The fleet's parts, each alone: options, latencies, chance, counts, the synced file of acknowledgements, channels.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <utility>
#include <vector>

#include "tests/events/temporary_directory.h"
#include "tools/fleet/ack_log.h"
#include "tools/fleet/channel_pool.h"
#include "tools/fleet/duration_text.h"
#include "tools/fleet/fleet_options.h"
#include "tools/fleet/fleet_statistics.h"
#include "tools/fleet/prng.h"

namespace holdfast::fleet {
namespace {

using ::holdfast::testing::TemporaryDirectory;
using nlohmann::json;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

// ---- options ----

struct Read {
  Parsed parsed;
  std::string errors;
};

Read ReadOptions(const std::vector<const char*>& arguments) {
  std::vector<std::string> texts = {"holdfast-fleet"};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  ::testing::internal::CaptureStderr();
  Read read;
  read.parsed = ParseOptions(static_cast<int>(argv.size()), argv.data());
  read.errors = ::testing::internal::GetCapturedStderr();
  return read;
}

TEST(FleetOptions, ADurationIsANumberAndAUnit) {
  EXPECT_EQ(ParseDurationText("250ms"), milliseconds(250));
  EXPECT_EQ(ParseDurationText("60s"), seconds(60));
  EXPECT_EQ(ParseDurationText("2m"), minutes(2));
  EXPECT_EQ(ParseDurationText("1h"), hours(1));
  EXPECT_EQ(ParseDurationText("7us"), microseconds(7));
  EXPECT_EQ(ParseDurationText("0"), microseconds(0));
}

TEST(FleetOptions, WhatIsNoDurationIsNone) {
  for (const char* text : {"", "s", "5", "-1s", "1.5s", "1 s", "1s ", "1d", "1000001h", "99999999999999999999s"}) {
    EXPECT_EQ(ParseDurationText(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(FleetOptions, WhatIsAskedForIsTaken) {
  const Read read = ReadOptions({"--server", "127.0.0.1:9", "--workers", "3", "--seed", "42", "--duration", "5s",
                                 "--faults", "heavy", "--report-interval", "250ms", "--json"});

  ASSERT_TRUE(read.parsed.options) << read.errors;
  EXPECT_EQ(read.parsed.options->server, "127.0.0.1:9");
  EXPECT_EQ(read.parsed.options->workers, 3u);
  EXPECT_EQ(read.parsed.options->seed, 42u);
  EXPECT_EQ(read.parsed.options->duration, seconds(5));
  EXPECT_EQ(read.parsed.options->faults, Faults::kHeavy);
  EXPECT_EQ(read.parsed.options->report_interval, milliseconds(250));
  EXPECT_TRUE(read.parsed.options->json);
}

TEST(FleetOptions, WithoutAWordThereAreNoCheckers) {
  const Read read = ReadOptions({});

  ASSERT_TRUE(read.parsed.options) << read.errors;
  EXPECT_EQ(read.parsed.options->checks.checkers, 0u);
  EXPECT_EQ(read.parsed.options->workers, 8u);
}

TEST(FleetOptions, WhatIsAskedForOfTheCheckersIsTaken) {
  const Read read = ReadOptions({"--workers",
                                 "0",
                                 "--checkers",
                                 "4",
                                 "--checker-concurrency",
                                 "50",
                                 "--check-levels",
                                 "basic,target",
                                 "--dead-share",
                                 "0.25",
                                 "--flip-every",
                                 "90s",
                                 "--health-basic-interval",
                                 "2s",
                                 "--health-egress-interval",
                                 "3s",
                                 "--health-suspect-interval",
                                 "500ms",
                                 "--health-unhealthy-max-interval",
                                 "5s",
                                 "--health-timeout",
                                 "1s",
                                 "--health-failures",
                                 "4",
                                 "--health-passes",
                                 "5",
                                 "--health-margin",
                                 "6s"});

  ASSERT_TRUE(read.parsed.options) << read.errors;
  const CheckOptions& checks = read.parsed.options->checks;
  EXPECT_EQ(checks.checkers, 4u);
  EXPECT_EQ(checks.concurrency, 50u);
  EXPECT_TRUE(checks.Checks(controlplane::v1::CHECK_LEVEL_BASIC));
  EXPECT_FALSE(checks.Checks(controlplane::v1::CHECK_LEVEL_EGRESS));
  EXPECT_TRUE(checks.Checks(controlplane::v1::CHECK_LEVEL_TARGET));
  EXPECT_EQ(checks.dead_share, 0.25);
  EXPECT_EQ(checks.flip_every, seconds(90));
  EXPECT_EQ(checks.health.basic_interval_us, 2'000'000);
  EXPECT_EQ(checks.health.egress_interval_us, 3'000'000);
  EXPECT_EQ(checks.health.suspect_interval_us, 500'000);
  EXPECT_EQ(checks.health.unhealthy_max_interval_us, 5'000'000);
  EXPECT_EQ(checks.health.timeout_us, 1'000'000);
  EXPECT_EQ(checks.health.failures_to_unhealthy, 4);
  EXPECT_EQ(checks.health.passes_from_unhealthy, 5);
  EXPECT_EQ(checks.health.margin_us, 6'000'000);
}

// What is not said is what health.md documents; both ways to the defaults must agree.
TEST(FleetOptions, TheHealthSettingsHaveTheDocumentedDefaults) {
  const Read read = ReadOptions({});

  const judge::HealthSettings said = read.parsed.options->checks.health;
  const judge::HealthSettings documented;
  EXPECT_EQ(said.DownWithin(said.basic_interval_us), documented.DownWithin(documented.basic_interval_us));
  EXPECT_EQ(said.DownWithin(said.egress_interval_us), documented.DownWithin(documented.egress_interval_us));
  EXPECT_EQ(said.UpWithin(), documented.UpWithin());
}

TEST(FleetOptions, AMistakeIsNamedAndEndsWithTwo) {
  const std::vector<std::pair<std::vector<const char*>, const char*>> mistakes = {
      {{"--duration", "soon"}, "--duration 'soon'"},
      {{"--report-interval", "0"}, "--report-interval '0'"},
      {{"--drain", "x"}, "--drain 'x'"},
      {{"--workers", "0"}, "--workers 0, --checkers 0 and --clients 0"},
      {{"--workers", "100001"}, "--workers"},
      {{"--check-levels", "basic,deep"}, "--check-levels"},
      {{"--dead-share", "1.5"}, "--dead-share"},
      {{"--flip-every", "often"}, "--flip-every 'often'"},
      {{"--health-margin", "much"}, "--health-margin 'much'"},
      {{"--health-failures", "0"}, "--health-failures"},
      {{"--faults", "some"}, "--faults"},
      {{"--nonsense"}, "--nonsense"},
  };
  for (const auto& [arguments, named] : mistakes) {
    const Read read = ReadOptions(arguments);

    EXPECT_FALSE(read.parsed.options) << named;
    EXPECT_EQ(read.parsed.exit_code, kExitCouldNotRun) << named;
    EXPECT_THAT(read.errors, HasSubstr(named));
  }
}

// ---- latencies and chance ----

TEST(Histogram, QuantilesAreRightWithinThreePercent) {
  Histogram histogram;
  for (std::int64_t micros = 1; micros <= 100'000; ++micros) histogram.Add(micros);

  for (const std::uint32_t permille : {1u, 10u, 500u, 900u, 990u, 999u}) {
    const double exact = 100.0 * permille;
    EXPECT_GE(histogram.Quantile(permille), exact) << permille;
    EXPECT_LE(histogram.Quantile(permille), exact * 1.032) << permille;
  }
  EXPECT_EQ(histogram.Quantile(1'000), 100'000u);
  EXPECT_EQ(histogram.max_micros(), 100'000u);
}

TEST(Histogram, SmallValuesAreExactAndNothingIsZero) {
  Histogram empty, small;
  for (const std::int64_t micros : {3, 3, 3, 9}) small.Add(micros);

  EXPECT_EQ(empty.Quantile(500), 0u);
  EXPECT_EQ(small.Quantile(500), 3u);
  EXPECT_EQ(small.Quantile(1'000), 9u);
}

TEST(Histogram, WhatIsOutsideCountsAsItsEdge) {
  Histogram histogram;
  histogram.Add(-5);
  histogram.Add(std::int64_t{1} << 50);

  EXPECT_EQ(histogram.count(), 2u);
  EXPECT_EQ(histogram.Quantile(500), 0u);
  EXPECT_EQ(histogram.max_micros(), std::uint64_t{1} << 40);
}

// The published values of SplitMix64 for this seed.
TEST(Prng, OneSeedGivesTheSameNumbersEverywhere) {
  Prng prng(1234567);

  EXPECT_EQ(prng.Next(), 6457827717110365317u);
  EXPECT_EQ(prng.Next(), 3203168211198807973u);
  EXPECT_EQ(prng.Next(), 9817491932198370423u);
}

TEST(Prng, BetweenReachesBothEndsAndNothingElse) {
  Prng prng(1);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1'000; ++i) seen.insert(prng.Between(-2, 2));

  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
}

// ---- counts ----

client::CallRecord Answered(client::CallName name, std::int64_t micros) {
  client::CallRecord record;
  record.name = name;
  record.sent_at = client::BootTime(microseconds(1'000));
  record.answered_at = client::BootTime(microseconds(1'000 + micros));
  return record;
}

TEST(FleetStatistics, CallsAreCountedByHowTheyEnded) {
  FleetStatistics statistics;
  client::CallRecord refused = Answered(client::CallName::kReport, 20);
  refused.result.code = absl::StatusCode::kFailedPrecondition;
  refused.result.detail.emplace().set_reason(controlplane::v1::REJECT_REASON_RUNTIME_FENCED);
  client::CallRecord failed = Answered(client::CallName::kReport, 30);
  failed.result.code = absl::StatusCode::kUnavailable;

  statistics.CountCall(Answered(client::CallName::kReport, 10));
  statistics.CountCall(refused);
  statistics.CountCall(failed);
  const json report = statistics.Json(seconds(2), {})["calls"]["report"];

  EXPECT_EQ(report["ok"], 1);
  EXPECT_EQ(report["refused"], 1);
  EXPECT_EQ(report["failed"], 1);
  EXPECT_EQ(report["ok_per_second"], 0.5);
  EXPECT_EQ(report["max_us"], 20);  // what failed has no latency
  EXPECT_EQ(report["reasons"], json({{"REJECT_REASON_RUNTIME_FENCED", 1}}));
  EXPECT_FALSE(statistics.reached());
}

TEST(FleetStatistics, ViolationsAreTakenOnceAndCountedForEver) {
  FleetStatistics statistics;
  statistics.AddViolation({judge::ViolationKind::kTime, 5, "log time went back"});

  const auto first = statistics.TakeNewViolations();
  const auto second = statistics.TakeNewViolations();

  ASSERT_EQ(first.size(), 1u);
  EXPECT_TRUE(second.empty());
  EXPECT_EQ(statistics.violations(), 1u);
  EXPECT_EQ(statistics.Json(seconds(1), {})["violation_count"], 1);
}

// ---- what outlives a run ----

TEST(AckLog, EachAnswerIsALineAndAnotherRunGoesOn) {
  TemporaryDirectory directory;
  for (const int version : {1, 2}) {
    const auto log = AckLog::Open(directory.File("acks"), "worker-1");
    ASSERT_TRUE(log.ok()) << log.status();
    (*log)->Append({{"version", version}});
  }

  std::ifstream file(directory.File("acks/worker-1.jsonl"));
  std::string first, second, third;
  std::getline(file, first);
  std::getline(file, second);

  EXPECT_EQ(json::parse(first)["version"], 1);
  EXPECT_EQ(json::parse(second)["version"], 2);
  EXPECT_FALSE(std::getline(file, third));
}

TEST(AckLog, ADirectoryThatCannotBeMadeIsNamed) {
  TemporaryDirectory directory;
  std::ofstream(directory.File("file")) << "in the way";

  const auto log = AckLog::Open(directory.File("file/acks"), "worker-1");

  ASSERT_FALSE(log.ok());
  EXPECT_THAT(std::string(log.status().message()), HasSubstr(directory.File("file/acks")));
  EXPECT_THAT(std::string(log.status().message()), HasSubstr("--ack-log"));
}

TEST(ChannelPool, ThePortFileIsReadAgainWhenTheControllerMoved) {
  TemporaryDirectory directory;
  const std::string port_file = directory.File("port");
  ChannelPool pool("", port_file);

  const auto nobody = pool.Get(0);
  std::ofstream(port_file) << "127.0.0.1:1\n";
  const auto first = pool.Get(0);
  const auto neighbour = pool.Get(ChannelPool::kWorkersPerChannel - 1);
  const auto other = pool.Get(ChannelPool::kWorkersPerChannel);
  std::ofstream(port_file) << "127.0.0.1:2\n";
  const auto moved = pool.Get(0);

  EXPECT_EQ(nobody, nullptr);
  EXPECT_EQ(first, neighbour);
  EXPECT_NE(first, other);
  EXPECT_NE(first, moved);
}

}  // namespace
}  // namespace holdfast::fleet
