// What operators see of checkers and do about them, over real gRPC: sessions, drains, fences, cordons.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/proto_time.h"
#include "tests/server/call_detail.h"
#include "tests/server/drain_watch.h"
#include "tests/server/operator_fixture.h"
#include "tests/server/test_checker.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using admin::v1::ALARM_KIND_HEALTH_FROZEN;
using admin::v1::ClearAlarmRequest;
using admin::v1::ClearAlarmResponse;
using admin::v1::CLOSE_REASON_DRAINED;
using admin::v1::CLOSE_REASON_FENCED;
using admin::v1::CLOSE_REASON_SUPERSEDED;
using admin::v1::DrainSessionRequest;
using admin::v1::DrainSessionResponse;
using admin::v1::FenceSessionRequest;
using admin::v1::FenceSessionResponse;
using admin::v1::ListAlarmsResponse;
using admin::v1::ListSessionsRequest;
using admin::v1::ListSessionsResponse;
using admin::v1::POOL_STATE_SUSPECT;
using admin::v1::SessionStatus;
using admin::v1::SetEligibilityRequest;
using admin::v1::SetEligibilityResponse;
using controlplane::v1::SESSION_KIND_CHECKER;
using std::chrono::seconds;
using ::testing::ElementsAre;

TestDaemon::Options Checked() {
  TestDaemon::Options options;
  options.config = TestDaemon::Checked();
  return options;
}

class FleetCheckers : public ::testing::Test {
 protected:
  FleetCheckers() : daemon_(Checked()), checker_(daemon_.daemon(), "checker-1") {}

  // With so many tasks under way.
  void Activate(int tasks) {
    daemon_.daemon().Import(tasks);
    stream_ = checker_.Activate();
    for (int i = 0; i < tasks; ++i) tasks_.push_back(checker_.ReadTask(*stream_));
  }
  SessionStatus Session() {
    ListSessionsRequest request;
    request.set_kind(SESSION_KIND_CHECKER);
    request.set_include_closed(true);
    const auto sessions = daemon_.Sessions(request);
    EXPECT_EQ(sessions.size(), 1u);
    return sessions.empty() ? SessionStatus() : sessions.front();
  }
  grpc::Status Drain(const std::string& checker_id, int grace_seconds = 30) {
    DrainSessionRequest request;
    request.set_kind(SESSION_KIND_CHECKER);
    request.set_member_id(checker_id);
    request.mutable_grace()->set_seconds(grace_seconds);
    grpc::ClientContext context;
    return daemon_.fleet().DrainSession(&context, request, &drained_);
  }
  grpc::Status Fence(const std::string& checker_id) {
    FenceSessionRequest request;
    request.set_kind(SESSION_KIND_CHECKER);
    request.set_member_id(checker_id);
    request.set_reason("stolen");
    grpc::ClientContext context;
    return daemon_.fleet().FenceSession(&context, request, &fenced_);
  }
  grpc::Status SetEligible(bool eligible) {
    SetEligibilityRequest request;
    request.set_kind(SESSION_KIND_CHECKER);
    request.set_member_id("checker-1");
    request.set_eligible(eligible);
    SetEligibilityResponse response;
    grpc::ClientContext context;
    return daemon_.fleet().SetEligibility(&context, request, &response);
  }

  OperatorDaemon daemon_;
  TestChecker checker_;
  std::unique_ptr<TestTasks> stream_;
  std::vector<controlplane::v1::CheckTask> tasks_;
  DrainSessionResponse drained_;
  FenceSessionResponse fenced_;
};

TEST_F(FleetCheckers, ASessionShowsWhoItIsWhatItDoesAndWhatWaits) {
  auto registration = checker_.RegisterRequest();
  registration.set_software_version("checker 7");
  registration.set_reconnect_attempt(3);
  ASSERT_TRUE(checker_.Call(registration).ok());
  const SessionStatus registered = Session();
  daemon_.daemon().Import(2);
  stream_ = checker_.Watch();
  const controlplane::v1::CheckTask task = checker_.ReadTask(*stream_);
  checker_.ReadTask(*stream_);
  daemon_.Advance(seconds(2));
  auto report = checker_.ReportRequest(1);
  report.set_queued_request_count(9);
  *report.add_observations() = Observe(task, controlplane::v1::VERDICT_FAIL);
  ASSERT_TRUE(checker_.Call(report).ok());

  const SessionStatus busy = Session();

  EXPECT_EQ(registered.kind(), SESSION_KIND_CHECKER);
  EXPECT_EQ(registered.member_id(), "checker-1");
  EXPECT_EQ(registered.instance_id(), "instance-1");
  EXPECT_EQ(registered.session_id(), checker_.session().session_id());
  EXPECT_EQ(registered.zone(), "zone-a");
  EXPECT_EQ(registered.peer(), "loopback");
  EXPECT_EQ(registered.software_version(), "checker 7");
  EXPECT_EQ(registered.reconnect_attempt(), 3u);
  EXPECT_EQ(registered.state(), controlplane::v1::SESSION_STATE_HANDSHAKING);
  EXPECT_TRUE(registered.eligible());
  EXPECT_FALSE(registered.attached());
  EXPECT_EQ(*ReadTime(registered.expires_at()) - *ReadTime(registered.opened_at()), seconds(15));
  EXPECT_EQ(busy.state(), controlplane::v1::SESSION_STATE_ACTIVE);
  EXPECT_TRUE(busy.attached());
  EXPECT_EQ(busy.inflight_count(), 1u);
  EXPECT_EQ(busy.queued_request_count(), 9u);
  EXPECT_EQ(*ReadTime(busy.last_heartbeat_at()) - *ReadTime(busy.opened_at()), seconds(2));
}

TEST_F(FleetCheckers, PagesGoOverWorkersAndThenCheckersWithoutGaps) {
  for (int i = 0; i < 4; ++i) {
    TestWorker(daemon_.daemon(), "worker-" + std::to_string(i)).Register();
    TestChecker(daemon_.daemon(), "checker-" + std::to_string(i)).Register();
  }
  ListSessionsRequest request;
  request.set_page_size(3);
  std::vector<int> sizes;
  std::vector<std::string> members;

  do {
    grpc::ClientContext context;
    ListSessionsResponse page;
    ASSERT_TRUE(daemon_.fleet().ListSessions(&context, request, &page).ok());
    sizes.push_back(page.sessions_size());
    for (const SessionStatus& session : page.sessions()) members.push_back(session.member_id());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());

  EXPECT_THAT(sizes, ElementsAre(3, 3, 2));
  EXPECT_THAT(members, ElementsAre("worker-0", "worker-1", "worker-2", "worker-3", "checker-0", "checker-1",
                                   "checker-2", "checker-3"));
}

TEST_F(FleetCheckers, AKindAndNamesFilterBothAndOneIdMayBeOfBoth) {
  for (const char* id : {"both", "other"}) {
    TestWorker(daemon_.daemon(), id).Register();
    TestChecker(daemon_.daemon(), id).Register();
  }
  ListSessionsRequest named, workers, agents;
  named.add_member_ids("both");
  workers.set_kind(controlplane::v1::SESSION_KIND_WORKER);
  agents.set_kind(controlplane::v1::SESSION_KIND_AGENT);

  const auto both = daemon_.Sessions(named);
  const auto of_workers = daemon_.Sessions(workers);

  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].kind(), controlplane::v1::SESSION_KIND_WORKER);
  EXPECT_EQ(both[1].kind(), SESSION_KIND_CHECKER);
  EXPECT_EQ(of_workers.size(), 2u);
  EXPECT_EQ(of_workers[1].kind(), controlplane::v1::SESSION_KIND_WORKER);
  EXPECT_TRUE(daemon_.Sessions(agents).empty());
}

TEST_F(FleetCheckers, ADrainIsAnsweredWithTheSessionAndEndsWithItsLastTask) {
  Activate(2);

  const grpc::Status status = Drain("checker-1");
  const DrainSessionResponse first = drained_;
  DrainWatch watch(daemon_, "checker-1", "", SESSION_KIND_CHECKER);
  const auto progress = watch.Read();
  ASSERT_TRUE(Drain("checker-1", 50).ok());
  for (const auto& task : tasks_) checker_.Answer(task, controlplane::v1::VERDICT_PASS);
  const auto rest = watch.ReadToEnd();

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(first.already_draining());
  EXPECT_EQ(first.session().state(), controlplane::v1::SESSION_STATE_DRAINING);
  EXPECT_EQ(first.session().drain_reason(), controlplane::v1::DRAIN_REASON_OPERATOR);
  EXPECT_EQ(*ReadTime(first.session().drain_deadline_at()) - *ReadTime(first.session().drain_started_at()),
            seconds(30));
  EXPECT_FALSE(first.session().eligible());
  EXPECT_TRUE(drained_.already_draining());
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->requests_left(), 2u);
  EXPECT_THAT(progress->holding_up(), ElementsAre("proxy-0", "proxy-1"));
  EXPECT_FALSE(progress->done());
  ASSERT_FALSE(rest.messages.empty());
  EXPECT_TRUE(rest.messages.back().done());
  EXPECT_EQ(rest.messages.back().requests_left(), 0u);
  EXPECT_EQ(rest.messages.back().session().close_reason(), CLOSE_REASON_DRAINED);
}

TEST_F(FleetCheckers, AFenceEndsTheSessionItsStreamAndItsTasksAtOnce) {
  Activate(1);

  const grpc::Status status = Fence("checker-1");
  const grpc::Status stream = stream_->End();

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(fenced_.session().kind(), SESSION_KIND_CHECKER);
  EXPECT_EQ(fenced_.session().state(), controlplane::v1::SESSION_STATE_CLOSED);
  EXPECT_EQ(fenced_.session().close_reason(), CLOSE_REASON_FENCED);
  EXPECT_EQ(fenced_.session().inflight_count(), 0u);
  EXPECT_FALSE(fenced_.session().eligible());
  EXPECT_FALSE(fenced_.has_last_owned_until());
  EXPECT_EQ(ReasonOf(stream), controlplane::v1::REJECT_REASON_SESSION_CLOSED);
  EXPECT_EQ(daemon_.Status().checks_outstanding(), 0u);
}

TEST_F(FleetCheckers, ACordonedCheckerGetsNothingNewUntilItIsEligibleAgain) {
  stream_ = checker_.Activate();
  ASSERT_TRUE(SetEligible(false).ok());
  daemon_.daemon().Import(1);
  daemon_.daemon().Settle();
  const SessionStatus cordoned = Session();
  const std::uint64_t outstanding = daemon_.Status().checks_outstanding();

  ASSERT_TRUE(SetEligible(true).ok());
  const auto task = checker_.ReadTask(*stream_);

  EXPECT_FALSE(cordoned.eligible());
  EXPECT_EQ(outstanding, 0u);
  EXPECT_EQ(task.proxy_id(), "proxy-0");
}

// One proxy is all that is up, and one failure too many is all that the guard lets pass here.
TEST(FleetFreeze, WhatHealthFrozeIsClearedByTheSubjectUnderWhichItIsListed) {
  TestDaemon::Options options = Checked();
  options.config.settings.basic_interval = seconds(2);
  options.config.settings.guard_minimum = 1;
  options.config.settings.failures_to_unhealthy = 1;
  OperatorDaemon daemon(options);
  daemon.daemon().Import(1);
  TestChecker checker(daemon.daemon(), "checker-1");
  auto registration = checker.RegisterRequest();
  registration.clear_levels();
  registration.add_levels(controlplane::v1::CHECK_LEVEL_BASIC);
  ASSERT_TRUE(checker.Call(registration).ok());
  const auto tasks = checker.Watch();
  checker.Answer(checker.ReadTask(*tasks), controlplane::v1::VERDICT_PASS);
  daemon.Advance(seconds(2));  // the check comes again
  checker.Answer(checker.ReadTask(*tasks), controlplane::v1::VERDICT_FAIL);

  grpc::ClientContext list_context, clear_context;
  ListAlarmsResponse alarms;
  ASSERT_TRUE(daemon.fleet().ListAlarms(&list_context, {}, &alarms).ok());
  ASSERT_EQ(alarms.alarms_size(), 1);
  ClearAlarmRequest clear;
  clear.set_kind(alarms.alarms(0).kind());
  clear.set_subject(alarms.alarms(0).subject());
  clear.set_reason("the proxy is really gone");
  ClearAlarmResponse cleared;
  const grpc::Status status = daemon.fleet().ClearAlarm(&clear_context, clear, &cleared);

  EXPECT_EQ(alarms.alarms(0).kind(), ALARM_KIND_HEALTH_FROZEN);
  EXPECT_EQ(daemon.Proxy("proxy-0").pool_state(), POOL_STATE_SUSPECT);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(cleared.cleared());
  EXPECT_EQ(daemon.Status().alarms(), 0u);
}

TEST_F(FleetCheckers, ACheckerThatWasNeverSeenIsNotFoundAndAnEndedOneIsToldOnce) {
  checker_.Register();
  const std::string first = checker_.session().session_id();
  checker_.Register();

  const auto over = DrainWatch(daemon_, "checker-1", first, SESSION_KIND_CHECKER).ReadToEnd();
  const auto nobody = DrainWatch(daemon_, "nobody", "", SESSION_KIND_CHECKER).ReadToEnd();
  const auto no_session = DrainWatch(daemon_, "checker-1", "another", SESSION_KIND_CHECKER).ReadToEnd();

  ASSERT_EQ(over.messages.size(), 1u);
  EXPECT_TRUE(over.messages[0].done());
  EXPECT_EQ(over.messages[0].session().kind(), SESSION_KIND_CHECKER);
  EXPECT_EQ(over.messages[0].session().close_reason(), CLOSE_REASON_SUPERSEDED);
  EXPECT_EQ(DetailOf(nobody.status)->detail.field(), "member_id");
  EXPECT_EQ(DetailOf(no_session.status)->detail.field(), "session_id");
  EXPECT_EQ(ReasonOf(Drain("nobody")), controlplane::v1::REJECT_REASON_NOT_FOUND);
  EXPECT_EQ(ReasonOf(Fence("nobody")), controlplane::v1::REJECT_REASON_NOT_FOUND);
}

}  // namespace
}  // namespace holdfast::server
