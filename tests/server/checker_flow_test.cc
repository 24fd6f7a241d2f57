// A checker's life over real gRPC: register, watch, be given tasks, report; what becomes of the proxies, and what the
// log keeps of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/decide.h"
#include "controller/proto_time.h"
#include "tests/server/operator_fixture.h"
#include "tests/server/test_checker.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using namespace controlplane::v1;
using controlplane::v1::CheckLevel;
using controlplane::v1::SessionState;
using log::v1::Input;
using std::chrono::seconds;
using ::testing::ElementsAre;

// Checks come fast; what a proxy is, checkers say.
TestDaemon::Options Checked() {
  TestDaemon::Options options;
  options.config = TestDaemon::Checked();
  options.config.settings.basic_interval = seconds(2);
  options.config.settings.suspect_interval = seconds(1);
  return options;
}

class CheckerFlow : public ::testing::Test {
 protected:
  CheckerFlow() : daemon_(Checked()), checker_(daemon_.daemon(), "checker-1"), worker_(daemon_.daemon(), "worker-1") {}

  // The next task of a level, after as much time as it takes.
  CheckTask NextTask(CheckLevel level) {
    while (true) {
      daemon_.Advance(seconds(2));
      checker_.Heartbeat();
      const CheckTask task = checker_.ReadTask(*tasks_);
      if (task.level() == level || task.task_id().empty()) return task;
      checker_.Answer(task, VERDICT_PASS);
    }
  }
  void Fail(int times) {
    for (int i = 0; i < times; ++i) checker_.Answer(NextTask(CHECK_LEVEL_BASIC), VERDICT_FAIL);
  }

  OperatorDaemon daemon_;
  TestChecker checker_;
  TestWorker worker_;
  std::unique_ptr<TestTasks> tasks_;
};

TEST_F(CheckerFlow, ATaskSaysAllThatAnImportedProxyNeedsToBeChecked) {
  admin::v1::ImportProxiesRequest batch;
  *batch.add_proxies() = MadeProxy(0);
  batch.mutable_proxies(0)->set_zone("zone-a");
  ASSERT_TRUE(daemon_.Import({batch}).status.ok());
  tasks_ = checker_.Activate();

  const CheckTask task = checker_.ReadTask(*tasks_);

  EXPECT_EQ(task.task_id(), "1");
  EXPECT_EQ(task.proxy_id(), "http://198.18.0.1:8080");
  EXPECT_EQ(task.endpoint().host(), "198.18.0.1");
  EXPECT_EQ(task.endpoint().port(), 8080u);
  EXPECT_EQ(task.endpoint().scheme(), PROXY_SCHEME_HTTP);
  EXPECT_EQ(task.level(), CHECK_LEVEL_BASIC);
  EXPECT_EQ(task.timeout().seconds(), 10);
  EXPECT_EQ(*ReadTime(task.deadline()) - *ReadTime(task.issued_at()), seconds(12));
  EXPECT_TRUE(task.routing_id().empty());
  EXPECT_FALSE(task.has_target());
}

TEST_F(CheckerFlow, AProxyIsPendingUntilACheckerHasSeenItPassAndIsThenGranted) {
  daemon_.daemon().Import(1);
  const auto watch = worker_.Activate();
  tasks_ = checker_.Activate();
  const CheckTask task = checker_.ReadTask(*tasks_);
  const admin::v1::ProxyStatus before = daemon_.Proxy("proxy-0");

  checker_.Answer(task, VERDICT_PASS);
  worker_.ReadAndAcknowledge(*watch);
  const admin::v1::ProxyStatus after = daemon_.Proxy("proxy-0");

  EXPECT_EQ(before.pool_state(), admin::v1::POOL_STATE_PENDING);
  EXPECT_EQ(before.ownership_state(), admin::v1::OWNERSHIP_STATE_UNOWNED);
  ASSERT_EQ(before.health_size(), 1);
  EXPECT_EQ(before.health(0).state(), admin::v1::HEALTH_STATE_UNKNOWN);
  EXPECT_EQ(before.health(0).checker_id(), "checker-1");
  EXPECT_EQ(after.pool_state(), admin::v1::POOL_STATE_AVAILABLE);
  EXPECT_EQ(after.ownership_state(), admin::v1::OWNERSHIP_STATE_GRANTED);
  EXPECT_EQ(after.owner_worker_id(), "worker-1");
  ASSERT_EQ(after.health_size(), 2);  // EGRESS follows the first BASIC pass
  EXPECT_EQ(after.health(0).state(), admin::v1::HEALTH_STATE_AVAILABLE);
  EXPECT_EQ(after.health(0).consecutive_passes(), 1u);
  EXPECT_TRUE(after.health(0).has_next_due_at());
  EXPECT_EQ(after.health(1).level(), CHECK_LEVEL_EGRESS);
}

TEST_F(CheckerFlow, ThreeFailuresInARowTakeAProxyFromItsOwner) {
  daemon_.daemon().Import(1);
  tasks_ = checker_.Activate();
  checker_.Answer(checker_.ReadTask(*tasks_), VERDICT_PASS);
  const auto watch = worker_.Activate();
  worker_.ReadAndAcknowledge(*watch);

  Fail(1);
  const admin::v1::ProxyStatus once = daemon_.Proxy("proxy-0");
  const auto shown = watch->Read();
  ASSERT_TRUE(shown);
  ASSERT_TRUE(worker_.Call(worker_.AckRequest(HeadOf(*shown))).ok());
  Fail(2);
  const admin::v1::ProxyStatus thrice = daemon_.Proxy("proxy-0");

  EXPECT_EQ(once.pool_state(), admin::v1::POOL_STATE_SUSPECT);
  EXPECT_EQ(once.ownership_state(), admin::v1::OWNERSHIP_STATE_GRANTED);
  ASSERT_EQ(shown->delta().upserted_size(), 1);
  EXPECT_EQ(shown->delta().upserted(0).state(), GRANT_STATE_SUSPECT);
  EXPECT_EQ(thrice.pool_state(), admin::v1::POOL_STATE_UNHEALTHY);
  EXPECT_EQ(thrice.ownership_state(), admin::v1::OWNERSHIP_STATE_REVOKING);
  EXPECT_EQ(thrice.health(0).consecutive_failures(), 3u);
  EXPECT_EQ(thrice.health(0).last_phase(), OUTCOME_PHASE_DIAL);
  EXPECT_EQ(thrice.health(0).last_error(), OUTCOME_ERROR_REFUSED);
}

TEST_F(CheckerFlow, ATaskThatNobodyAnswersIsOverAtItsDeadlineAndTheCheckComesAgain) {
  daemon_.daemon().Import(1);
  tasks_ = checker_.Activate();
  const CheckTask first = checker_.ReadTask(*tasks_);

  daemon_.Advance(seconds(12));
  checker_.Answer(first, VERDICT_PASS);
  const auto unknown = checker_.reported().unknown_task_ids();
  const CheckTask second = checker_.ReadTask(*tasks_);

  EXPECT_THAT(unknown, ElementsAre(first.task_id()));
  EXPECT_NE(second.task_id(), first.task_id());
  EXPECT_EQ(second.proxy_id(), "proxy-0");
  EXPECT_EQ(daemon_.Proxy("proxy-0").pool_state(), admin::v1::POOL_STATE_PENDING);
}

TEST_F(CheckerFlow, ACheckerIsToldToDropTheTaskOfAProxyThatWasRemoved) {
  daemon_.daemon().Import(1);
  tasks_ = checker_.Activate();
  const CheckTask task = checker_.ReadTask(*tasks_);

  Input removal;
  removal.mutable_remove_proxies()->add_proxy_ids("proxy-0");
  daemon_.daemon().Decide(removal);
  const auto update = tasks_->Read();

  ASSERT_TRUE(update && update->has_cancel());
  EXPECT_EQ(update->cancel().task_id(), task.task_id());
}

TEST_F(CheckerFlow, ADrainIsTakenBackByNoReportAndEndsWithTheLastTask) {
  daemon_.daemon().Import(1);
  tasks_ = checker_.Activate();
  const CheckTask task = checker_.ReadTask(*tasks_);
  ReportObservationsRequest last = checker_.ReportRequest(1);
  last.set_draining(true);

  ASSERT_TRUE(checker_.Call(last).ok());
  const SessionState draining = checker_.reported().session_state();
  const auto notice = tasks_->Read();
  last.set_sequence(2);
  last.set_draining(false);
  *last.add_observations() = Observe(task, VERDICT_PASS);
  ASSERT_TRUE(checker_.Call(last).ok());

  EXPECT_EQ(draining, SESSION_STATE_DRAINING);
  ASSERT_TRUE(notice && notice->has_drain());
  EXPECT_EQ(notice->drain().reason(), DRAIN_REASON_SHUTDOWN);
  EXPECT_GT(notice->drain().deadline().seconds(), 0);
  EXPECT_EQ(checker_.reported().session_state(), SESSION_STATE_CLOSED);
}

TEST_F(CheckerFlow, EveryCallOfACheckerStandsInTheLogOnceAndInItsOwnWords) {
  daemon_.daemon().Import(1);
  tasks_ = checker_.Activate();
  checker_.Answer(checker_.ReadTask(*tasks_), VERDICT_PASS);

  const auto registered = daemon_.daemon().Entries(Input::kRegisterChecker);
  const auto watched = daemon_.daemon().Entries(Input::kWatchTasks);
  const auto reported = daemon_.daemon().Entries(Input::kReportObservations);

  ASSERT_EQ(registered.size(), 1u);
  EXPECT_EQ(registered[0].principal, "loopback");
  EXPECT_EQ(registered[0].input.register_checker().session_id(), checker_.session().session_id());
  EXPECT_EQ(registered[0].input.register_checker().request().max_concurrency(), 100u);
  ASSERT_EQ(watched.size(), 1u);
  EXPECT_NE(watched[0].input.watch_tasks().stream(), 0u);
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_TRUE(IsBulky(reported[0].input));
  EXPECT_EQ(reported[0].input.report_observations().request().observations(0).latency().nanos(), 25'000'000);
  EXPECT_EQ(checker_.reported().accepted_sequence(), 1u);
  EXPECT_EQ(checker_.session().session_state(), SESSION_STATE_HANDSHAKING);
  EXPECT_EQ(checker_.reported().session_state(), SESSION_STATE_ACTIVE);
}

TEST_F(CheckerFlow, ReadersOfTheLogSeeWhatACheckerFoundAndWhatFollowed) {
  daemon_.daemon().Import(1);
  tasks_ = checker_.Activate();
  checker_.Answer(checker_.ReadTask(*tasks_), VERDICT_PASS);
  audit::v1::ReadLogRequest request;
  request.set_member_id("checker-1");
  request.add_kinds("report_observations");

  const auto lines = daemon_.ReadLog(request);

  ASSERT_EQ(lines.size(), 1u);
  for (const char* part : {"\"checker_heard\"", "\"check_observed\"", "\"checks_planned\"", "\"health_changed\"",
                           "\"proxy_state_changed\"", "\"taskId\":\"1\""}) {
    EXPECT_THAT(lines[0].json(), ::testing::HasSubstr(part));
  }
}

TEST(CheckerRestart, AfterARestartOfTheDaemonTheSameSessionGoesOn) {
  TestDaemon daemon(Checked());
  daemon.Import(1);
  std::string session_id;
  CheckTask task;
  {
    TestChecker checker(daemon, "checker-1");
    const auto tasks = checker.Activate();
    task = checker.ReadTask(*tasks);
    session_id = checker.session().session_id();
  }

  daemon.Restart();
  TestChecker again(daemon, "checker-1");
  WatchTasksRequest watch = again.WatchRequest();
  watch.set_session_id(session_id);
  const auto tasks = again.Watch(watch);
  ReportObservationsRequest report = again.ReportRequest(1);
  report.set_session_id(session_id);
  *report.add_observations() = Observe(task, VERDICT_PASS);
  const grpc::Status status = again.Call(report);

  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(again.reported().unknown_task_ids_size(), 0);
  EXPECT_EQ(again.ReadTask(*tasks).level(), CHECK_LEVEL_EGRESS);
}

}  // namespace
}  // namespace holdfast::server
