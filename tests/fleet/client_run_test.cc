// Clients of the whole fleet against pools that are right and wrong: its verdict, its exit code, what it prints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/client/wire_builders.h"
#include "tests/fleet/fleet_outcome.h"
#include "tests/fleet/giving_control_plane.h"
#include "tests/fleet/played_distribution.h"

namespace holdfast::fleet {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kMachines = 40;

FleetOptions Options() {
  FleetOptions options;
  options.workers = 0;
  options.duration = seconds(1);
  options.json = true;
  options.clients.clients = 4;
  options.clients.most = 5;
  options.clients.keep = milliseconds(5);
  options.clients.settle = seconds(60);
  return options;
}

Outcome RunAgainst(PlayedDistribution& distribution, FleetOptions options = Options()) {
  GivingControlPlane controller([](const std::string&) { return wire::SnapshotUpdate(); }, &distribution);
  options.server = controller.address();
  return RunFleet(options);
}

TEST(ClientRun, APoolThatKeepsItsPromisesIsFoundGoodAndHasAllItsMachinesBack) {
  PlayedDistribution distribution(Fault::kNone, kMachines);

  const Outcome outcome = RunAgainst(distribution);

  EXPECT_THAT(outcome.violations, IsEmpty()) << outcome.said.dump(2);
  EXPECT_EQ(outcome.exit, kExitDone);
  const json& clients = outcome.said["clients"];
  EXPECT_GT(clients["extractions"]["count"], 20);
  EXPECT_GT(clients["extractions"]["repeated"], 0);
  EXPECT_GT(clients["calls"]["release"]["ok"], clients["extractions"]["count"]) << "some are given back in parts";
  EXPECT_EQ(outcome.said["judged"]["extractions"], clients["extractions"]["count"]);
  const json& machines = clients["machines"];
  EXPECT_EQ(machines["extracted"].get<int>(), machines["released"].get<int>() + machines["expired"].get<int>());
  EXPECT_EQ(machines["held"], 0);
  EXPECT_EQ(machines["in_doubt"], 0);
  EXPECT_EQ(distribution.held(), machines["expired"].get<std::size_t>()) << "here nothing ends by itself";
}

TEST(ClientRun, WhatWasAnsweredToNobodyIsAskedForAgainAndGivenBack) {
  PlayedDistribution distribution(Fault::kLosesFirstAnswers, kMachines);
  FleetOptions options = Options();
  options.clients.keep = seconds(0);

  const Outcome outcome = RunAgainst(distribution, options);

  EXPECT_THAT(outcome.violations, IsEmpty()) << outcome.said.dump(2);
  const json& clients = outcome.said["clients"];
  EXPECT_GE(clients["calls"]["extract"]["failed"], clients["extractions"]["count"]);
  EXPECT_GT(clients["machines"]["released"], 0);
  EXPECT_EQ(clients["machines"]["in_doubt"], 0);
  EXPECT_EQ(distribution.held(), 0u);
}

TEST(ClientRun, WithoutSettlingItLeavesWhatItHas) {
  PlayedDistribution distribution(Fault::kNone, kMachines);
  FleetOptions options = Options();
  options.clients.keep = seconds(60);
  options.clients.settle = seconds(0);

  const Outcome outcome = RunAgainst(distribution, options);

  EXPECT_EQ(outcome.exit, kExitDone);
  const json& machines = outcome.said["clients"]["machines"];
  EXPECT_EQ(machines["released"], 0);
  EXPECT_GT(machines["extracted"], 0);
  EXPECT_EQ(machines["extracted"].get<int>(), machines["held"].get<int>() + machines["expired"].get<int>());
}

TEST(ClientRun, OneMachineForTwoClientsIsFound) {
  PlayedDistribution distribution(Fault::kForgetsHolders, kMachines);

  const Outcome outcome = RunAgainst(distribution);

  EXPECT_THAT(outcome.violations, Contains("two_holders"));
  EXPECT_EQ(outcome.exit, kExitFoundWanting);
}

TEST(ClientRun, OneMachineForAClientAndAWorkerIsFound) {
  PlayedDistribution distribution(Fault::kNone, 1);
  GivingControlPlane controller(
      [](const std::string&) {
        wire::ProxyGrant grant = client::Grant("proxy-1");
        grant.mutable_endpoint()->set_host("192.0.2.1");
        return client::Full(GivingControlPlane::kEpoch, GivingControlPlane::kVersion,
                            GivingControlPlane::kNowSeconds + 30, {grant});
      },
      &distribution);
  FleetOptions options = Options();
  options.server = controller.address();
  options.workers = 1;
  options.clients.clients = 1;
  options.clients.most = 1;

  const Outcome outcome = RunFleet(options);

  EXPECT_THAT(outcome.violations, Contains("two_holders")) << outcome.said.dump(2);
  EXPECT_THAT(outcome.said["violations"][0]["text"].get<std::string>(),
              AllOf(HasSubstr("worker fleet-0001"), HasSubstr("client fleet-client-0001")));
  EXPECT_EQ(outcome.exit, kExitFoundWanting);
}

TEST(ClientRun, MoreThanWereAskedForAreFound) {
  PlayedDistribution distribution(Fault::kGivesOneMore, kMachines);

  const Outcome outcome = RunAgainst(distribution);

  EXPECT_THAT(outcome.violations, Contains("answer"));
  EXPECT_EQ(outcome.exit, kExitFoundWanting);
}

TEST(ClientRun, AnotherAnswerToTheSameRequestIsFound) {
  PlayedDistribution distribution(Fault::kChangesItsMind, kMachines);

  const Outcome outcome = RunAgainst(distribution);

  EXPECT_THAT(outcome.violations, Contains("answer"));
  EXPECT_THAT(outcome.said["violations"][0]["text"].get<std::string>(), HasSubstr("otherwise than before"));
  EXPECT_EQ(outcome.exit, kExitFoundWanting);
}

TEST(ClientRun, AReleaseOfWhatStandsThatIsDeniedIsFound) {
  PlayedDistribution distribution(Fault::kDeniesReleases, kMachines);

  const Outcome outcome = RunAgainst(distribution);

  EXPECT_THAT(outcome.violations, Contains("answer"));
  EXPECT_THAT(outcome.said["violations"][0]["text"].get<std::string>(), HasSubstr("NOT_FOUND"));
}

TEST(ClientRun, ThePrintedTableSaysTheSame) {
  PlayedDistribution distribution(Fault::kNone, kMachines);
  FleetOptions options = Options();
  options.json = false;

  const Outcome outcome = RunAgainst(distribution, options);

  EXPECT_THAT(outcome.out, AllOf(HasSubstr("clients\n"), HasSubstr("\nextract "), HasSubstr("\nrelease "),
                                 HasSubstr("\nextractions: "), HasSubstr("\nmachines: extracted "),
                                 HasSubstr(", in doubt 0\n"), HasSubstr("\nviolations: 0\n")));
}

TEST(ClientRun, NobodyThereIsUnreachableAndWhatWasAskedForIsInDoubt) {
  FleetOptions options = Options();
  {
    GivingControlPlane controller([](const std::string&) { return wire::SnapshotUpdate(); });
    options.server = controller.address();
  }
  options.clients.settle = milliseconds(10);

  const Outcome outcome = RunFleet(options);

  EXPECT_EQ(outcome.exit, kExitUnreachable);
  EXPECT_THAT(outcome.violations, IsEmpty());
  EXPECT_GT(outcome.said["clients"]["calls"]["extract"]["failed"], 0);
  EXPECT_GT(outcome.said["clients"]["machines"]["in_doubt"], 0);
}

}  // namespace
}  // namespace holdfast::fleet
