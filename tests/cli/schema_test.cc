// What each command prints with --json, held against its schema in docs/schemas.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "tests/cli/cli_run.h"
#include "tests/cli/fake_daemon.h"
#include "tests/cli/json_schema.h"
#include "tests/cli/samples.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using ::testing::IsEmpty;
using Json = nlohmann::json;

const std::filesystem::path kSchemas = std::filesystem::path(HOLDFAST_SOURCE_DIR) / "docs" / "schemas";

Json Schema(const std::string& name) {
  return Json::parse(ReadTestFile((kSchemas / (name + ".json")).string()), nullptr, false);
}

std::vector<std::string> Faults(const std::string& name, const Json& value) {
  const Json schema = Schema(name);
  if (schema.is_discarded()) return {name + ".json is not there, or is no JSON"};
  if (value.is_discarded()) return {"the output is no JSON"};
  return SchemaFaults(schema, value);
}

class SchemaOf : public ::testing::Test {
 protected:
  CliRun Run(std::vector<std::string> arguments, const std::string& in = "") {
    arguments.push_back("--json");
    return RunAt(daemon_.address(), std::move(arguments), {.in = in});
  }

  FakeDaemon daemon_;
};

TEST_F(SchemaOf, StatusFullAndEmpty) {
  daemon_.audit.SetStatus(SampleStatus());
  EXPECT_THAT(Faults("status", Run({"status"}).Json()), IsEmpty());

  daemon_.audit.SetStatus({});
  EXPECT_THAT(Faults("status", Run({"status"}).Json()), IsEmpty());
}

TEST_F(SchemaOf, ImportInAllItsEnds) {
  const std::string list = "# head\n198.18.0.1:8080\n198.18.0.1:8080\nnonsense\nhttp://a:b@198.18.0.2:80\n";

  const CliRun done = Run({"import", "-"}, list);
  const CliRun replaced = Run({"import", "-", "--source", "s", "--replace"}, list);
  daemon_.pool.Miscount(true);
  const CliRun failed = Run({"import", "-"}, list);

  EXPECT_THAT(Faults("import", done.Json()), IsEmpty());
  EXPECT_THAT(Faults("import", replaced.Json()), IsEmpty());
  EXPECT_TRUE(replaced.Json().contains("removed"));
  EXPECT_THAT(Faults("import", failed.Json()), IsEmpty());
  EXPECT_TRUE(failed.Json().contains("incomplete"));
}

TEST_F(SchemaOf, ImportDryRunWithEveryFieldThatAnItemMayHave) {
  const std::string csv =
      "scheme,host,port,username,password,expires_at,capacity,country\n"
      "socks5,198.18.0.1,1080,u,p,2030-01-01T00:00:00Z,4,DE\nhttp,198.18.0.2,80,,,,,\nhttp,nope,x,,,,,\n";

  const CliRun run = Run({"import", "-", "--dry-run", "--source", "s", "--zone", "z", "--label", "k=v"}, csv);

  EXPECT_THAT(Faults("import_dry_run", run.Json()), IsEmpty());
  ASSERT_EQ(run.Json()["items"].size(), 2u);
  for (const char* field : {"secret_ref", "labels", "zone", "source", "capacity", "expires_at"}) {
    EXPECT_TRUE(run.Json()["items"][0].contains(field)) << field;
  }
}

TEST_F(SchemaOf, ProxiesAndTheirRemoval) {
  EXPECT_THAT(Faults("proxies", Run({"proxies"}).Json()), IsEmpty());

  for (const char* host : {"198.18.0.1", "198.18.0.2", "198.18.0.3"}) daemon_.pool.Put(SampleProxy(host));
  admin::v1::ProxyStatus bare;
  bare.mutable_spec()->set_proxy_id("bare");
  daemon_.pool.Put(bare);

  EXPECT_THAT(Faults("proxies", Run({"proxies"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("proxies_remove", Run({"proxies", "remove", "gone", "bare"}).Json()), IsEmpty());
}

TEST_F(SchemaOf, RoutingsListedAndApplied) {
  EXPECT_THAT(Faults("routings_list", Run({"routings", "list"}).Json()), IsEmpty());

  daemon_.pool.SetRoutings(SampleRoutings());

  EXPECT_THAT(Faults("routings_list", Run({"routings", "list"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("routings_apply", Run({"routings", "apply", "-"}, "[]").Json()), IsEmpty());
}

TEST_F(SchemaOf, Sessions) {
  EXPECT_THAT(Faults("sessions", Run({"sessions"}).Json()), IsEmpty());

  for (const char* member : {"worker-1", "worker-2", "worker-3"}) daemon_.fleet.Put(SampleSession(member));
  auto closed = SampleSession("worker-4");
  closed.set_state(controlplane::v1::SESSION_STATE_CLOSED);
  closed.set_close_reason(admin::v1::CLOSE_REASON_EXPIRED);
  closed.set_drain_reason(controlplane::v1::DRAIN_REASON_OPERATOR);
  *closed.mutable_drain_started_at() = ToTimestamp(kTestNowMicros);
  daemon_.fleet.Put(closed);

  EXPECT_THAT(Faults("sessions", Run({"sessions"}).Json()), IsEmpty());
}

TEST_F(SchemaOf, Checkers) {
  EXPECT_THAT(Faults("checkers", Run({"checkers"}).Json()), IsEmpty());

  daemon_.fleet.Put(SampleChecker("checker-1"));
  daemon_.fleet.Put(Draining(SampleChecker("checker-2")));

  EXPECT_THAT(Faults("checkers", Run({"checkers", "--all"}).Json()), IsEmpty());
}

TEST_F(SchemaOf, ChecksFullAndEmpty) {
  EXPECT_THAT(Faults("checks", Run({"checks"}).Json()), IsEmpty());

  daemon_.pool.PutChecks(SampleHealth("p-1"));
  daemon_.pool.PutChecks({});

  const Json checks = Run({"checks"}).Json();
  EXPECT_THAT(Faults("checks", checks), IsEmpty());
  EXPECT_EQ(checks["proxies"][0]["health"].size(), 3u);
}

TEST_F(SchemaOf, CheckWithEveryVerdictAndWithNone) {
  for (const auto verdict : {controlplane::v1::VERDICT_PASS, controlplane::v1::VERDICT_FAIL,
                             controlplane::v1::VERDICT_INCONCLUSIVE, controlplane::v1::VERDICT_UNSPECIFIED}) {
    daemon_.pool.AnswerCheck(SampleCheck(verdict));
    EXPECT_THAT(Faults("check", Run({"check", "p-1", "--level", "basic"}).Json()), IsEmpty());
  }
  daemon_.pool.AnswerCheck({});

  EXPECT_THAT(Faults("check", Run({"check", "p-1", "--level", "target", "--routing", "r"}).Json()), IsEmpty());
}

TEST_F(SchemaOf, EachLineOfTheLog) {
  daemon_.audit.Append(SampleLine(1));
  auto odd = SampleLine(2);
  odd.set_json("not JSON");
  odd.clear_at();
  daemon_.audit.Append(odd);

  std::istringstream lines(Run({"log"}).out);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_THAT(Faults("log", Json::parse(line, nullptr, false)), IsEmpty());
  }

  EXPECT_EQ(count, 2u);
}

TEST_F(SchemaOf, AuditOwnership) {
  daemon_.audit.PutPeriod(SamplePeriod());
  daemon_.audit.PutPeriod(SampleClientPeriod());
  daemon_.audit.PutPeriod({});

  const Json history = Run({"audit", "ownership", "--proxy", "p-1"}).Json();
  EXPECT_THAT(Faults("audit_ownership", history), IsEmpty());
  EXPECT_EQ(history["periods"].size(), 3u);
}

TEST_F(SchemaOf, DrainWatchedDetachedLeftAndWithoutARequest) {
  admin::v1::DrainSessionResponse answer;
  *answer.mutable_session() = SampleDraining("worker-1");
  daemon_.fleet.AnswerDrain(answer);
  const auto end = SampleDrainEnd(admin::v1::CLOSE_REASON_DRAINED, 0);
  daemon_.fleet.PlanWatch({.progress = {SampleProgress(3, 1, {"http://198.18.0.1:8080"}), end}});
  daemon_.fleet.PlanWatch({.progress = {end}});
  daemon_.fleet.PlanWatch({.progress = {SampleProgress(3, 1, {"http://198.18.0.1:8080"})},
                           .status = {grpc::StatusCode::PERMISSION_DENIED, "no"}});

  EXPECT_THAT(Faults("drain", Run({"drain", "worker-1"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("drain", Run({"drain", "worker-1", "--watch"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("drain", Run({"drain", "worker-1"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("drain_detach", Run({"drain", "worker-1", "--detach"}).Json()), IsEmpty());
}

TEST_F(SchemaOf, FenceReclaimAndCordon) {
  EXPECT_THAT(Faults("fence", Run({"fence", "worker-1", "--reason", "r"}).Json()), IsEmpty());

  admin::v1::FenceSessionResponse fenced;
  *fenced.mutable_session() = SampleDrainEnd(admin::v1::CLOSE_REASON_FENCED, 3).session();
  *fenced.mutable_last_owned_until() = ToTimestamp(kTestNowMicros);
  daemon_.fleet.AnswerFence(fenced);

  EXPECT_THAT(Faults("fence", Run({"fence", "worker-1", "--reason", "r"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("reclaim", Run({"reclaim", "a", "gone", "--reason", "r"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("cordon", Run({"cordon", "worker-1", "--reason", "r"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("cordon", Run({"uncordon", "worker-1"}).Json()), IsEmpty());
}

TEST_F(SchemaOf, ExtractAndRelease) {
  EXPECT_THAT(Faults("extract", Run({"extract", "--client", "c", "--count", "2"}).Json()), IsEmpty());

  auto answer = SampleExtraction(2, 2);
  answer.mutable_proxies(0)->set_secret_ref("cred-1");
  daemon_.distribution.AnswerExtract(answer);
  const CliRun run = RunAt(daemon_.address(), {"extract", "--client", "c", "--count", "2", "--format", "json"});

  EXPECT_THAT(Faults("extract", run.Json()), IsEmpty());
  EXPECT_EQ(run.Json()["proxies"].size(), 2u);
  EXPECT_THAT(Faults("release", Run({"release", "--client", "c", "e-1"}).Json()), IsEmpty());
}

TEST_F(SchemaOf, ThePoolStoreComparedRebuiltAndAdopted) {
  EXPECT_THAT(Faults("pool_diff", Run({"pool", "diff"}).Json()), IsEmpty());

  admin::v1::DiffPoolResponse response;
  response.add_differences()->set_address("198.18.0.1:8080");
  response.add_differences()->set_worker_id("worker-1");
  auto& row = *response.add_differences();
  row.set_proxy_id("p-1");
  row.set_field("health");
  row.set_in_projection("available");
  row.set_in_store("suspect");
  response.set_compared(7);
  response.set_truncated(true);
  daemon_.pool.PlanDiff({response});

  EXPECT_THAT(Faults("pool_diff", Run({"pool", "diff"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("pool_rebuild", Run({"pool", "rebuild"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("pool_rebuild", Run({"pool", "rebuild", "--dry-run"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("pool_adopt", Run({"pool", "adopt", "--reason", "r"}).Json()), IsEmpty());
}

TEST_F(SchemaOf, AlarmsAndTheClock) {
  daemon_.audit.SetStatus(SampleStatus());
  EXPECT_THAT(Faults("alarms", Run({"alarms"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("clock_status", Run({"clock", "status"}).Json()), IsEmpty());

  daemon_.fleet.PutAlarm(SampleAlarm(admin::v1::ALARM_KIND_CLOCK_JUMPED, ""));
  daemon_.fleet.PutAlarm(SampleAlarm(admin::v1::ALARM_KIND_HISTORY_LOST, "worker-1"));

  EXPECT_THAT(Faults("alarms", Run({"alarms"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("clock_status", Run({"clock", "status"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("clock_accept", Run({"clock", "accept", "--reason", "r"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("alarms_clear", Run({"alarms", "clear", "clock_jumped", "--reason", "r"}).Json()), IsEmpty());
  EXPECT_THAT(Faults("alarms_clear", Run({"alarms", "clear", "clock_jumped", "--reason", "r"}).Json()), IsEmpty());
}

TEST(Schemas, EveryFileIsHeldAgainstACommandHere) {
  const std::set<std::string> held = {"status",          "import",         "import_dry_run",
                                      "proxies",         "proxies_remove", "routings_apply",
                                      "routings_list",   "sessions",       "log",
                                      "drain",           "drain_detach",   "fence",
                                      "reclaim",         "cordon",         "alarms",
                                      "clock_status",    "alarms_clear",   "clock_accept",
                                      "audit_ownership", "checks",         "check",
                                      "checkers",        "extract",        "release",
                                      "pool_diff",       "pool_rebuild",   "pool_adopt"};

  std::set<std::string> there;
  for (const auto& entry : std::filesystem::directory_iterator(kSchemas)) {
    if (entry.path().extension() == ".json") there.insert(entry.path().stem().string());
  }

  EXPECT_EQ(there, held);
}

TEST(Schemas, AnOutputThatLacksAFieldOrHasOneMoreDoesNotHold) {
  FakeDaemon daemon;
  Json status = RunAt(daemon.address(), {"status", "--json"}).Json();
  Json more = status;
  more["surprise"] = 1;
  status.erase("serving");

  EXPECT_EQ(Faults("status", status).size(), 1u);
  EXPECT_EQ(Faults("status", more).size(), 1u);
}

}  // namespace
}  // namespace holdfast::cli
