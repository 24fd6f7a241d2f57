// Where the pool store and what clients have are seen: status, proxies, audit ownership.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/cli_run.h"
#include "tests/cli/fake_daemon.h"
#include "tests/cli/samples.h"

namespace holdfast::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PoolStatus, OneLineTellsBackendConditionAndLag) {
  FakeDaemon daemon;
  daemon.audit.SetStatus(SampleStatus());

  const CliRun run = RunAt(daemon.address(), {"status"});

  EXPECT_THAT(
      run.out,
      HasSubstr("pool store   embedded, ready, applied to 12,345, up to date, 120 rows wait, the oldest for 2s\n"));
  EXPECT_THAT(run.out, HasSubstr("extractions  1 asked, 12 standing\n"));
  EXPECT_LE(std::count(run.out.begin(), run.out.end(), '\n'), 24) << "one screen";
}

TEST(PoolStatus, AResyncAndATroubleAreSeen) {
  FakeDaemon daemon;
  auto status = SampleStatus();
  status.set_pool_backend("redis");
  status.set_pool_condition("writing");
  status.set_pool_rows_written(12'000);
  status.set_pool_rows_waiting(0);
  status.set_pool_applied_sequence(0);
  status.set_pool_trouble("the connection broke\x1b[2J");
  status.clear_extractions();
  daemon.audit.SetStatus(status);

  const CliRun run = RunAt(daemon.address(), {"status"});

  EXPECT_THAT(run.out, HasSubstr("pool store   redis, writing (12,000 rows so far), applied to 0, 12,345 behind, the "
                                 "oldest change waits for 2s\n"
                                 "             TROUBLE: the connection broke\\x1b[2J\n"));
  EXPECT_THAT(run.out, HasSubstr("extractions  none\n"));
}

TEST(PoolStatus, AStoreThatIsAwayOrAnothersIsFoundWanting) {
  FakeDaemon daemon;
  auto status = SampleStatus();
  status.clear_hold_off_until();
  status.set_alarms(0);
  const auto run = [&](const std::string& condition, const std::string& trouble) {
    status.set_pool_condition(condition);
    status.set_pool_trouble(trouble);
    daemon.audit.SetStatus(status);
    return RunAt(daemon.address(), {"status", "--check"});
  };

  EXPECT_EQ(run("ready", "").code, ExitCode::kDone);
  EXPECT_EQ(run("away", "").code, ExitCode::kDone) << "it has only just started";
  EXPECT_EQ(run("writing", "no answer came").code, ExitCode::kDone) << "it mends itself";

  const CliRun away = run("away", "refused\x1b[2J");
  EXPECT_EQ(away.code, ExitCode::kFoundWanting);
  EXPECT_THAT(away.error, HasSubstr("nothing is extracted, its pool store is away (refused\\x1b[2J)"));
  const CliRun superseded = run("superseded", "");
  EXPECT_EQ(superseded.code, ExitCode::kFoundWanting);
  EXPECT_THAT(superseded.error, HasSubstr("a later controller writes its pool store"));
}

TEST(PoolStatus, ProgramsGetEveryField) {
  FakeDaemon daemon;
  daemon.audit.SetStatus(SampleStatus());

  const CliRun run = RunAt(daemon.address(), {"status", "--json"});

  EXPECT_EQ(run.Json()["pool_condition"], "ready");
  EXPECT_EQ(run.Json()["pool_trouble"], nullptr);
  EXPECT_EQ(run.Json()["pool_lag_ms"], 2000);
  EXPECT_EQ(run.Json()["pool_rows_waiting"], 120);
  EXPECT_EQ(run.Json()["pool_rows_written"], 0);
  EXPECT_EQ(run.Json()["extractions"]["standing"], 12);
}

TEST(ExtractedProxies, AreListedWithTheirClientAndItsExtraction) {
  FakeDaemon daemon;
  auto proxy = SampleProxy("198.18.0.1");
  proxy.set_pool_state(admin::v1::POOL_STATE_EXTRACTED);
  proxy.set_ownership_state(admin::v1::OWNERSHIP_STATE_EXTRACTED);
  proxy.clear_owner_worker_id();
  proxy.set_extracted_by("client-1");
  proxy.set_extraction_id("e-1");
  daemon.pool.Put(proxy);

  const CliRun run = RunAt(daemon.address(), {"proxies", "--ownership", "extracted"});

  EXPECT_THAT(run.out, HasSubstr("extracted  extracted  client client-1 (e-1)  "));
}

TEST(ExtractedProxies, AreInTheHistoryOfTheirClientAlone) {
  FakeDaemon daemon;
  auto worker = SamplePeriod();
  worker.set_holder_id("client-1");
  daemon.audit.PutPeriod(worker);
  daemon.audit.PutPeriod(SampleClientPeriod());

  const CliRun client = RunAt(daemon.address(), {"audit", "ownership", "--client", "client-1"});
  const CliRun worker_of_that_name = RunAt(daemon.address(), {"audit", "ownership", "--worker", "client-1"});
  const CliRun both = RunCommand({"audit", "ownership", "--client", "c", "--worker", "w"});

  EXPECT_EQ(daemon.audit.history_request().holder_id(), "client-1");
  EXPECT_THAT(client.out, HasSubstr("client client-1"));
  EXPECT_THAT(client.out, HasSubstr("#400 released  -      e-1\n"));
  EXPECT_THAT(client.out, HasSubstr("1 period(s)"));
  EXPECT_THAT(worker_of_that_name.out, Not(HasSubstr("client client-1")));
  EXPECT_THAT(worker_of_that_name.out, HasSubstr("1 period(s)"));
  EXPECT_EQ(both.code, ExitCode::kCouldNotRun);
}

}  // namespace
}  // namespace holdfast::cli
