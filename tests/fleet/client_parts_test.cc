// The parts of the fleet's clients, each alone: options, what is asked for, how it is given back, what is held.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tools/fleet/client_demand.h"
#include "tools/fleet/client_statistics.h"
#include "tools/fleet/fleet_options.h"
#include "tools/fleet/held_machines.h"

namespace holdfast::fleet {
namespace {

using distribution::v1::ExtractRequest;
using distribution::v1::ExtractResponse;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Ids = std::vector<std::string>;

// The options, or what was said on stderr.
struct Read {
  Parsed parsed;
  std::string errors;
};

Read ReadOptions(const std::vector<std::string>& arguments) {
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

TEST(ClientOptions, WithoutAWordThereAreNone) {
  const Read read = ReadOptions({});

  ASSERT_TRUE(read.parsed.options) << read.errors;
  EXPECT_EQ(read.parsed.options->clients.clients, 0u);
  EXPECT_EQ(read.parsed.options->clients.most, 10u);
  EXPECT_EQ(read.parsed.options->clients.keep, milliseconds(200));
  EXPECT_EQ(read.parsed.options->clients.settle, seconds(0));
}

TEST(ClientOptions, WhatIsAskedForIsTaken) {
  const Read read = ReadOptions(
      {"--workers", "0", "--clients", "3", "--client-most", "400", "--client-keep", "0", "--settle", "30s"});

  ASSERT_TRUE(read.parsed.options) << read.errors;
  EXPECT_EQ(read.parsed.options->clients.clients, 3u);
  EXPECT_EQ(read.parsed.options->clients.most, 400u);
  EXPECT_EQ(read.parsed.options->clients.keep, seconds(0));
  EXPECT_EQ(read.parsed.options->clients.settle, seconds(30));
}

TEST(ClientOptions, AMistakeIsNamedAndEndsWithTwo) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> mistakes = {
      {{"--client-keep", "long"}, "--client-keep 'long'"},
      {{"--settle", "well"}, "--settle 'well'"},
      {{"--client-most", "0"}, "--client-most"},
      {{"--client-most", "401"}, "--client-most"},
      {{"--clients", "100001"}, "--clients"},
  };
  for (const auto& [arguments, named] : mistakes) {
    const Read read = ReadOptions(arguments);

    EXPECT_FALSE(read.parsed.options) << named;
    EXPECT_EQ(read.parsed.exit_code, kExitCouldNotRun) << named;
    EXPECT_THAT(read.errors, HasSubstr(named));
  }
}

TEST(ClientDemand, AllThatCanBeAskedForIsAndNothingElse) {
  Prng prng(1);
  std::set<std::uint32_t> counts;
  int with_hold = 0, with_schemes = 0, lasting = 0, all_or_nothing = 0, secrets = 0;
  constexpr int kDraws = 1'000;
  for (int i = 0; i < kDraws; ++i) {
    const ExtractRequest request = DrawDemand(prng, 3, false);
    counts.insert(request.count());
    with_hold += request.has_hold();
    with_schemes += !request.schemes().empty();
    lasting += request.has_min_remaining();
    all_or_nothing += request.all_or_nothing();
    secrets += request.resolves_secrets();
    EXPECT_TRUE(!request.has_hold() || request.hold().seconds() >= 5);
  }

  EXPECT_THAT(counts, ElementsAre(1u, 2u, 3u));
  for (const int some : {with_hold, with_schemes, lasting, all_or_nothing, secrets}) {
    EXPECT_GT(some, kDraws / 10);
    EXPECT_LT(some, kDraws * 9 / 10);
  }
}

TEST(ClientDemand, WhoMayBeKilledAlwaysHasAHold) {
  Prng prng(1);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(DrawDemand(prng, 3, true).has_hold());
}

TEST(ClientDemand, ReleasesNameEverythingOnceOrAllThatIsLeft) {
  Prng prng(1);
  const Ids all = {"a", "b", "c"};
  std::set<std::size_t> releases_seen;
  for (int i = 0; i < 200; ++i) {
    const std::vector<Ids> releases = DrawReleases(prng, all);
    releases_seen.insert(releases.size());
    Ids named;
    for (const Ids& release : releases) named.insert(named.end(), release.begin(), release.end());
    for (std::size_t part = 0; part + 1 < releases.size(); ++part) EXPECT_THAT(releases[part], Not(IsEmpty()));
    EXPECT_TRUE(releases.back().empty() || named == all);
  }

  EXPECT_THAT(releases_seen, ElementsAre(1u, 2u));
  EXPECT_THAT(DrawReleases(prng, {"a"}), ::testing::SizeIs(1));
}

void Add(ExtractResponse& answer, const std::string& id, const std::string& host, const std::string& secret = "") {
  auto& proxy = *answer.add_proxies();
  proxy.set_proxy_id(id);
  proxy.mutable_endpoint()->set_host(host);
  proxy.mutable_endpoint()->set_port(1080);
  proxy.set_secret_ref(secret);
}

TEST(HeldMachines, AMachineIsBackWithTheLastOfItsProxies) {
  ExtractResponse answer;
  Add(answer, "a", "192.0.2.1");
  Add(answer, "b", "192.0.2.1");
  Add(answer, "c", "192.0.2.1", "vault");
  HeldMachines held(answer);
  EXPECT_EQ(held.size(), 2u);

  EXPECT_EQ(held.GiveBack(Ids{"a"}), 0u);
  EXPECT_EQ(held.GiveBack(Ids{"b"}), 1u);
  EXPECT_THAT(held.ProxyIds(), ElementsAre("c"));
  EXPECT_EQ(held.GiveBack(Ids{}), 1u);
  EXPECT_EQ(held.size(), 0u);
}

TEST(ClientStatistics, MachinesAreCountedByWhatBecameOfThem) {
  ClientStatistics statistics;
  statistics.CountExtracted(10);
  statistics.CountExtracted(5);
  statistics.CountReleased(6);
  statistics.CountExpired(2);
  statistics.CountReleaseInDoubt(3);
  statistics.CountAskedInDoubt(7);

  const json machines = statistics.Json(seconds(3))["machines"];

  EXPECT_EQ(machines["extracted"], 15);
  EXPECT_EQ(machines["per_second"], 5.0);
  EXPECT_EQ(machines["released"], 6);
  EXPECT_EQ(machines["expired"], 2);
  EXPECT_EQ(machines["held"], 4);
  EXPECT_EQ(machines["in_doubt"], 10);
}

TEST(ClientStatistics, OnlyWhatWasAnsweredWellHasALatency) {
  ClientStatistics statistics;
  client::CallResult refused;
  refused.code = absl::StatusCode::kUnavailable;
  refused.detail.emplace().set_reason(controlplane::v1::REJECT_REASON_POOL_UNAVAILABLE);
  EXPECT_FALSE(statistics.reached());

  statistics.CountExtract(refused, seconds(2));
  statistics.CountExtract({}, milliseconds(3));
  const json extract = statistics.Json(seconds(1))["calls"]["extract"];

  EXPECT_TRUE(statistics.reached());
  EXPECT_EQ(extract["ok"], 1);
  EXPECT_EQ(extract["max_us"], 3'000);
  EXPECT_EQ(extract["reasons"], json({{"REJECT_REASON_POOL_UNAVAILABLE", 1}}));
}

}  // namespace
}  // namespace holdfast::fleet
