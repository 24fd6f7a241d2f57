// The whole fleet against controllers that are right and wrong: its verdict, its exit code, what it prints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/client/wire_builders.h"
#include "tests/fleet/fleet_outcome.h"
#include "tests/fleet/giving_control_plane.h"

namespace holdfast::fleet {
namespace {

using client::Full;
using client::Grant;
using nlohmann::json;
using ::testing::Contains;
using ::testing::IsEmpty;

constexpr std::int64_t kValidUntil = GivingControlPlane::kNowSeconds + 30;

// Two workers, for a second.
Outcome RunAgainst(const std::string& address) {
  FleetOptions options;
  options.server = address;
  options.workers = 2;
  options.duration = std::chrono::seconds(1);
  options.json = true;
  return RunFleet(options);
}

// An address of its own for each worker.
wire::ProxyGrant OwnGrant(const std::string& worker_id) {
  wire::ProxyGrant grant = Grant("proxy-of-" + worker_id);
  grant.mutable_endpoint()->set_host("192.0.2." + worker_id.substr(worker_id.size() - 1));
  return grant;
}

wire::SnapshotUpdate Update(const std::vector<wire::ProxyGrant>& grants) {
  return Full(GivingControlPlane::kEpoch, GivingControlPlane::kVersion, kValidUntil, grants);
}

TEST(FleetRun, AControllerThatKeepsItsPromisesIsFoundGood) {
  GivingControlPlane controller([](const std::string& worker_id) { return Update({OwnGrant(worker_id)}); });

  const Outcome outcome = RunAgainst(controller.address());

  EXPECT_THAT(outcome.violations, IsEmpty()) << outcome.said.dump(2);
  EXPECT_EQ(outcome.exit, kExitDone);
  EXPECT_EQ(outcome.said["calls"]["register"]["ok"], 2);
  EXPECT_EQ(outcome.said["updates"]["full"], 2);
  EXPECT_GT(outcome.said["judged"]["answers"], 4);
}

TEST(FleetRun, OneAddressForTwoWorkersIsFound) {
  GivingControlPlane controller([](const std::string&) { return Update({Grant("one-for-all")}); });

  const Outcome outcome = RunAgainst(controller.address());

  EXPECT_THAT(outcome.violations, Contains("two_holders"));
  EXPECT_EQ(outcome.exit, kExitFoundWanting);
}

TEST(FleetRun, TheSameMachineUnderAnotherSchemeIsFoundAsWell) {
  GivingControlPlane controller([](const std::string& worker_id) {
    wire::ProxyGrant grant = Grant("proxy-of-" + worker_id);
    if (worker_id.back() == '1') grant.mutable_endpoint()->set_scheme(wire::PROXY_SCHEME_HTTP);
    return Update({grant});
  });

  const Outcome outcome = RunAgainst(controller.address());

  EXPECT_THAT(outcome.violations, Contains("two_holders"));
  EXPECT_EQ(outcome.exit, kExitFoundWanting);
}

TEST(FleetRun, AChecksumThatDoesNotFitIsFound) {
  GivingControlPlane controller([](const std::string& worker_id) {
    wire::SnapshotUpdate update = Update({OwnGrant(worker_id)});
    update.mutable_full()->mutable_checksum()->back() ^= 1;
    return update;
  });

  const Outcome outcome = RunAgainst(controller.address());

  EXPECT_THAT(outcome.violations, Contains("checksum"));
  EXPECT_EQ(outcome.exit, kExitFoundWanting);
  EXPECT_EQ(outcome.said["updates"]["full"], 0);  // no worker took it
}

TEST(FleetRun, NobodyThereIsUnreachableAndNoVerdict) {
  std::string address;
  {
    address = GivingControlPlane([](const std::string&) { return wire::SnapshotUpdate(); }).address();
  }

  const Outcome outcome = RunAgainst(address);

  EXPECT_EQ(outcome.exit, kExitUnreachable);
  EXPECT_THAT(outcome.violations, IsEmpty());
}

}  // namespace
}  // namespace holdfast::fleet
