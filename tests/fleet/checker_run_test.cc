// Checkers of the whole fleet against pools that follow them and pools that do not: its verdict, its exit code, what
// it prints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/fleet/checking_control_plane.h"
#include "tests/fleet/fleet_outcome.h"
#include "tests/fleet/giving_control_plane.h"

namespace holdfast::fleet {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int kProxies = 20;

// A fleet of checkers alone, half of the proxies dead for ever, and bounds that fit a run of a second or two.
FleetOptions Options(const std::string& address) {
  FleetOptions options;
  options.server = address;
  options.workers = 0;
  options.duration = seconds(4);
  options.json = true;
  options.checks.checkers = 2;
  options.checks.levels = {wire::CHECK_LEVEL_BASIC};
  options.checks.dead_share = 0.5;
  options.checks.flip_every = seconds(0);
  options.checks.health.basic_interval_us = 100'000;
  options.checks.health.egress_interval_us = 100'000;
  options.checks.health.unhealthy_max_interval_us = 100'000;
  options.checks.health.suspect_interval_us = 100'000;
  options.checks.health.timeout_us = CheckingControlPlane::kTimeoutUs;
  options.checks.health.deadline_margin_us = 0;
  options.checks.health.failures_to_unhealthy = 1;
  options.checks.health.passes_from_unhealthy = 1;
  options.checks.health.margin_us = 1'200'000;
  return options;
}

TEST(CheckerRun, APoolThatFollowsItsCheckersIsFoundGood) {
  CheckingControlPlane controller(Reducer::kFollows, kProxies);

  const Outcome outcome = RunFleet(Options(controller.address()));

  EXPECT_THAT(outcome.violations, IsEmpty()) << outcome.said.dump(2);
  EXPECT_EQ(outcome.exit, kExitDone);
  const json& checkers = outcome.said["checkers"];
  EXPECT_EQ(checkers["calls"]["register"]["ok"], 2);
  EXPECT_GT(checkers["tasks"]["fates"]["answered"], kProxies);
  EXPECT_GT(checkers["tasks"]["per_second"], 0);
  EXPECT_GT(checkers["observations"]["accepted"], kProxies);
  EXPECT_GT(checkers["observations"]["verdicts"]["pass"], 0);
  EXPECT_GT(checkers["observations"]["verdicts"]["fail"], 0);
  EXPECT_EQ(checkers["observations"]["lost"], json::object());
  EXPECT_GT(checkers["pool"]["comparisons"], 0);
  EXPECT_GT(checkers["pool"]["states"]["available"], 0);
  EXPECT_GT(checkers["pool"]["states"]["unhealthy"], 0);
  EXPECT_THAT(outcome.errors, Not(HasSubstr("judged")));
}

TEST(CheckerRun, APoolThatDoesNotSeeItsDeadIsFoundWanting) {
  CheckingControlPlane controller(Reducer::kSeesNoDead, kProxies);

  const Outcome outcome = RunFleet(Options(controller.address()));

  EXPECT_THAT(outcome.violations, Contains("health")) << outcome.said.dump(2);
  EXPECT_EQ(outcome.exit, kExitFoundWanting);
  EXPECT_THAT(outcome.said["violations"][0]["text"], HasSubstr("SUSPECT instead of POOL_STATE_UNHEALTHY"));
  EXPECT_THAT(outcome.errors, HasSubstr("violation health: proxy proxy-"));
}

TEST(CheckerRun, APoolThatBuriesTheLivingIsFoundWanting) {
  CheckingControlPlane controller(Reducer::kSeesNoLiving, kProxies);

  const Outcome outcome = RunFleet(Options(controller.address()));

  EXPECT_THAT(outcome.violations, Contains("health"));
  EXPECT_THAT(outcome.said["violations"][0]["text"], HasSubstr("SUSPECT instead of POOL_STATE_AVAILABLE"));
  EXPECT_EQ(outcome.exit, kExitFoundWanting);
}

TEST(CheckerRun, ProxiesThatDieAndComeBackAreFollowed) {
  CheckingControlPlane controller(Reducer::kFollows, kProxies);
  FleetOptions options = Options(controller.address());
  options.checks.flip_every = milliseconds(2'500);

  const Outcome outcome = RunFleet(options);

  EXPECT_THAT(outcome.violations, IsEmpty()) << outcome.said.dump(2);
  EXPECT_EQ(outcome.exit, kExitDone);
}

TEST(CheckerRun, WhatCheckersSpoilIsNotHeldAgainstThePool) {
  CheckingControlPlane controller(Reducer::kFollows, kProxies);
  FleetOptions options = Options(controller.address());
  options.duration = seconds(6);
  options.faults = Faults::kHeavy;
  options.checks.health.margin_us = 2'500'000;  // a task that nobody saw is given again when its deadline is over
  options.checks.checkers = 20;

  // On a machine that is slow everything may be spoiled in one run: then there is another.
  Outcome outcome;
  do {
    outcome = RunFleet(options);
    ASSERT_THAT(outcome.violations, IsEmpty()) << outcome.said.dump(2);
    ASSERT_EQ(outcome.exit, kExitDone);
    ASSERT_THAT(outcome.said["checkers"]["faults"], Not(IsEmpty()));
  } while (outcome.said["checkers"]["pool"]["comparisons"] == 0);
}

TEST(CheckerRun, ADrainEndsTheCheckersWithTheControllersWord) {
  CheckingControlPlane controller(Reducer::kFollows, kProxies);
  FleetOptions options = Options(controller.address());
  options.duration = milliseconds(300);
  options.drain = seconds(60);

  const Outcome outcome = RunFleet(options);

  EXPECT_EQ(outcome.exit, kExitDone);
  EXPECT_EQ(outcome.said["checkers"]["calls"]["register"]["ok"], 2);
}

TEST(CheckerRun, ThePrintedTableSaysTheSame) {
  CheckingControlPlane controller(Reducer::kFollows, kProxies);
  FleetOptions options = Options(controller.address());
  options.json = false;

  const Outcome outcome = RunFleet(options);

  EXPECT_THAT(outcome.out, AllOf(HasSubstr("checkers\n"), HasSubstr("\ntasks: "), HasSubstr("\nobservations: "),
                                 HasSubstr("\nverdicts: fail "), HasSubstr("\nobservations lost: none\n"),
                                 HasSubstr("\npool: available "), HasSubstr("\nviolations: 0\n")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("updates:"))) << "there are no workers to speak of";
}

// Others look at those; a fleet that knows nothing of them holds nothing against their pool.
TEST(CheckerRun, WhatStandsOnLoopbackIsNeitherConcludedOnNorJudged) {
  CheckingControlPlane controller(Reducer::kSeesNoLiving, kProxies, "http://127.0.0.1:100");

  const Outcome outcome = RunFleet(Options(controller.address()));

  EXPECT_THAT(outcome.violations, IsEmpty()) << outcome.said.dump(2);
  EXPECT_GT(outcome.said["checkers"]["observations"]["verdicts"]["inconclusive"], 0);
  EXPECT_FALSE(outcome.said["checkers"]["observations"]["verdicts"].contains("pass"));
  EXPECT_EQ(outcome.said["checkers"]["pool"]["comparisons"], 0);
}

TEST(CheckerRun, ARunThatIsTooShortToJudgeSaysSo) {
  CheckingControlPlane controller(Reducer::kFollows, kProxies);
  FleetOptions options = Options(controller.address());
  options.duration = milliseconds(1'200);
  options.checks.health = judge::HealthSettings();

  const Outcome outcome = RunFleet(options);

  EXPECT_EQ(outcome.exit, kExitDone);
  EXPECT_THAT(outcome.errors, HasSubstr("none had its whole time, which is 146 s for a dead proxy and 1254 s"));
}

// It has no service for checkers and none for its pool: every call is answered with UNIMPLEMENTED.
TEST(CheckerRun, AControllerWithoutThatServiceIsUnreachableAndSaysWhyNothingWasJudged) {
  GivingControlPlane controller([](const std::string&) { return wire::SnapshotUpdate(); });

  FleetOptions options = Options(controller.address());
  options.duration = milliseconds(1'200);

  const Outcome outcome = RunFleet(options);

  EXPECT_EQ(outcome.exit, kExitUnreachable);
  EXPECT_THAT(outcome.violations, IsEmpty());
  EXPECT_GT(outcome.said["checkers"]["calls"]["register"]["failed"], 0);
  EXPECT_GT(outcome.said["checkers"]["pool"]["listings_failed"], 0);
  EXPECT_THAT(outcome.errors, HasSubstr("no state of the pool was judged: reading the pool failed"));
}

}  // namespace
}  // namespace holdfast::fleet
