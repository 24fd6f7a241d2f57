// What operators do about members and alarms, over real gRPC: the answer, its entry, what follows, and each refusal.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/proto_time.h"
#include "tests/server/call_detail.h"
#include "tests/server/operator_fixture.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using admin::v1::ALARM_KIND_SYNC_STALLED;
using admin::v1::ALARM_KIND_UNSPECIFIED;
using admin::v1::ClearAlarmRequest;
using admin::v1::ClearAlarmResponse;
using admin::v1::CLOSE_REASON_FENCED;
using admin::v1::DrainSessionRequest;
using admin::v1::DrainSessionResponse;
using admin::v1::FenceSessionRequest;
using admin::v1::FenceSessionResponse;
using admin::v1::ListAlarmsResponse;
using admin::v1::ListSessionsRequest;
using admin::v1::ReclaimProxiesRequest;
using admin::v1::ReclaimProxiesResponse;
using admin::v1::SessionStatus;
using admin::v1::SetEligibilityRequest;
using admin::v1::SetEligibilityResponse;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

DrainSessionRequest DrainRequest(const std::string& worker) {
  DrainSessionRequest request;
  request.set_kind(controlplane::v1::SESSION_KIND_WORKER);
  request.set_member_id(worker);
  return request;
}

FenceSessionRequest FenceRequest(const std::string& worker) {
  FenceSessionRequest request;
  request.set_kind(controlplane::v1::SESSION_KIND_WORKER);
  request.set_member_id(worker);
  request.set_reason("stolen");
  return request;
}

class FleetCommands : public ::testing::Test {
 protected:
  FleetCommands() : worker_(daemon_.daemon(), "worker-1") {}

  // With so many proxies, acknowledged.
  void Activate(int proxies) {
    daemon_.daemon().Import(proxies);
    watch_ = worker_.Activate();
    if (proxies > 0 && Session().owned_proxies() > 0) worker_.ReadAndAcknowledge(*watch_);
    daemon_.daemon().Settle();
  }
  SessionStatus Session() {
    ListSessionsRequest request;
    request.set_include_closed(true);
    const auto sessions = daemon_.Sessions(request);
    EXPECT_EQ(sessions.size(), 1u);
    return sessions.empty() ? SessionStatus() : sessions.front();
  }
  std::uint64_t LastSequence(log::v1::Input::InputCase kind) {
    const auto entries = daemon_.daemon().Entries(kind);
    return entries.empty() ? 0 : entries.back().sequence.value();
  }

  grpc::Status Drain(const DrainSessionRequest& request) {
    grpc::ClientContext context;
    return daemon_.fleet().DrainSession(&context, request, &drained_);
  }
  grpc::Status Fence(const FenceSessionRequest& request) {
    grpc::ClientContext context;
    return daemon_.fleet().FenceSession(&context, request, &fenced_);
  }
  grpc::Status Reclaim(const ReclaimProxiesRequest& request) {
    grpc::ClientContext context;
    return daemon_.fleet().ReclaimProxies(&context, request, &reclaimed_);
  }
  grpc::Status SetEligible(const std::string& worker, bool eligible) {
    SetEligibilityRequest request;
    request.set_kind(controlplane::v1::SESSION_KIND_WORKER);
    request.set_member_id(worker);
    request.set_eligible(eligible);
    request.set_reason("bad disk");
    grpc::ClientContext context;
    return daemon_.fleet().SetEligibility(&context, request, &set_);
  }
  grpc::Status Clear(admin::v1::AlarmKind kind, const std::string& subject) {
    ClearAlarmRequest request;
    request.set_kind(kind);
    request.set_subject(subject);
    request.set_reason("seen");
    grpc::ClientContext context;
    return daemon_.fleet().ClearAlarm(&context, request, &cleared_);
  }
  std::vector<admin::v1::Alarm> Alarms() {
    grpc::ClientContext context;
    ListAlarmsResponse response;
    EXPECT_TRUE(daemon_.fleet().ListAlarms(&context, {}, &response).ok());
    return {response.alarms().begin(), response.alarms().end()};
  }

  OperatorDaemon daemon_;
  TestWorker worker_;
  std::unique_ptr<TestWatch> watch_;
  DrainSessionResponse drained_;
  FenceSessionResponse fenced_;
  ReclaimProxiesResponse reclaimed_;
  SetEligibilityResponse set_;
  ClearAlarmResponse cleared_;
};

TEST_F(FleetCommands, ADrainIsAnsweredWithTheSessionAsItThenIs) {
  Activate(2);
  DrainSessionRequest request = DrainRequest("worker-1");
  request.mutable_grace()->set_seconds(30);

  const grpc::Status status = Drain(request);

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(drained_.already_draining());
  EXPECT_EQ(drained_.log_sequence(), LastSequence(log::v1::Input::kDrainSession));
  const SessionStatus& session = drained_.session();
  EXPECT_EQ(session.member_id(), "worker-1");
  EXPECT_EQ(session.state(), controlplane::v1::SESSION_STATE_DRAINING);
  EXPECT_EQ(session.drain_reason(), controlplane::v1::DRAIN_REASON_OPERATOR);
  EXPECT_EQ(*ReadTime(session.drain_deadline_at()) - *ReadTime(session.drain_started_at()), seconds(30));
  EXPECT_FALSE(session.eligible());
  EXPECT_EQ(session.owned_proxies(), 2u);
}

TEST_F(FleetCommands, ASecondDrainIsToldTheDeadlineThatStands) {
  Activate(1);
  DrainSessionRequest request = DrainRequest("worker-1");
  request.mutable_grace()->set_seconds(30);
  ASSERT_TRUE(Drain(request).ok());
  const auto first = *ReadTime(drained_.session().drain_deadline_at());

  request.mutable_grace()->set_seconds(50);
  ASSERT_TRUE(Drain(request).ok());
  const DrainSessionResponse later = drained_;
  request.mutable_grace()->set_seconds(10);
  ASSERT_TRUE(Drain(request).ok());

  EXPECT_TRUE(later.already_draining());
  EXPECT_EQ(*ReadTime(later.session().drain_deadline_at()), first);
  EXPECT_TRUE(drained_.already_draining());
  EXPECT_EQ(*ReadTime(drained_.session().drain_deadline_at()), first - seconds(20));
}

TEST_F(FleetCommands, ADrainWithoutADeadlineHasNoneAndOneThatKeepsItEligibleDoes) {
  Activate(1);
  DrainSessionRequest request = DrainRequest("worker-1");
  request.set_no_deadline(true);
  request.set_keep_eligible(true);

  ASSERT_TRUE(Drain(request).ok());

  EXPECT_EQ(drained_.session().state(), controlplane::v1::SESSION_STATE_DRAINING);
  EXPECT_FALSE(drained_.session().has_drain_deadline_at());
  EXPECT_TRUE(drained_.session().eligible());
}

TEST_F(FleetCommands, AFenceClosesTheSessionAtOnceAndSaysUntilWhenWhatItHadMayBeInUse) {
  Activate(2);
  const auto owned_until = *ReadTime(daemon_.Proxy("proxy-0").owned_until());

  const grpc::Status status = Fence(FenceRequest("worker-1"));

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(fenced_.log_sequence(), LastSequence(log::v1::Input::kFenceSession));
  EXPECT_EQ(fenced_.session().state(), controlplane::v1::SESSION_STATE_CLOSED);
  EXPECT_EQ(fenced_.session().close_reason(), CLOSE_REASON_FENCED);
  EXPECT_FALSE(fenced_.session().eligible());
  EXPECT_EQ(*ReadTime(fenced_.last_owned_until()), owned_until);
  EXPECT_EQ(ReasonOf(watch_->End()), controlplane::v1::REJECT_REASON_SESSION_CLOSED);
}

TEST_F(FleetCommands, AReclaimCountsWhatDrainsWhatWasFreeAndWhatIsUnknown) {
  auto request = worker_.RegisterRequest();
  request.set_max_proxies(1);
  daemon_.daemon().Import(2);
  ASSERT_TRUE(worker_.Call(request).ok());
  watch_ = worker_.Watch();
  worker_.ReadAndAcknowledge(*watch_);
  daemon_.daemon().Settle();
  ReclaimProxiesRequest reclaim;
  for (const char* id : {"proxy-0", "proxy-1", "gone"}) reclaim.add_proxy_ids(id);
  reclaim.set_reason("needed elsewhere");

  const grpc::Status status = Reclaim(reclaim);

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(reclaimed_.draining(), 1u);
  EXPECT_EQ(reclaimed_.already_unowned(), 1u);
  EXPECT_THAT(reclaimed_.unknown_proxy_ids(), ElementsAre("gone"));
  EXPECT_EQ(reclaimed_.log_sequence(), LastSequence(log::v1::Input::kReclaimProxies));
}

TEST_F(FleetCommands, ACordonedWorkerIsGivenNothingUntilThatIsLifted) {
  ASSERT_TRUE(SetEligible("worker-1", false).ok()) << "it need not have been seen";
  EXPECT_EQ(set_.log_sequence(), LastSequence(log::v1::Input::kSetEligibility));
  Activate(1);
  const SessionStatus cordoned = Session();

  ASSERT_TRUE(SetEligible("worker-1", true).ok());
  worker_.ReadAndAcknowledge(*watch_);

  EXPECT_FALSE(cordoned.eligible());
  EXPECT_EQ(cordoned.owned_proxies(), 0u);
  EXPECT_TRUE(Session().eligible());
  EXPECT_EQ(Session().owned_proxies(), 1u);
}

TEST_F(FleetCommands, AnAlarmNamesItsRunbookAndIsClearedOnce) {
  log::v1::Input stall;
  stall.mutable_sync_stalled()->set_stalled_micros(9'000'000);
  daemon_.daemon().Decide(stall);
  const auto raised = Alarms();

  ASSERT_TRUE(Clear(ALARM_KIND_SYNC_STALLED, "").ok());
  const ClearAlarmResponse first = cleared_;
  ASSERT_TRUE(Clear(ALARM_KIND_SYNC_STALLED, "").ok());

  ASSERT_EQ(raised.size(), 1u);
  EXPECT_EQ(raised[0].runbook(), "docs/operations/alarms.md#sync-stalled");
  EXPECT_TRUE(first.cleared());
  EXPECT_EQ(first.log_sequence(), daemon_.daemon().Entries(log::v1::Input::kClearAlarm)[0].sequence.value());
  EXPECT_FALSE(cleared_.cleared());
  EXPECT_TRUE(Alarms().empty());
}

TEST_F(FleetCommands, AMemberNeverSeenIsNotFound) {
  for (const grpc::Status& status : {Drain(DrainRequest("nobody")), Fence(FenceRequest("nobody"))}) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
    EXPECT_EQ(ReasonOf(status), controlplane::v1::REJECT_REASON_NOT_FOUND);
  }
}

TEST_F(FleetCommands, AnotherSessionThanTheExpectedOneIsLeftAlone) {
  Activate(1);
  DrainSessionRequest drain = DrainRequest("worker-1");
  drain.set_expected_session_id("another");
  FenceSessionRequest fence = FenceRequest("worker-1");
  fence.set_expected_session_id("another");

  for (const grpc::Status& status : {Drain(drain), Fence(fence)}) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(ReasonOf(status), controlplane::v1::REJECT_REASON_FAILED_CONDITION);
  }
  EXPECT_EQ(Session().state(), controlplane::v1::SESSION_STATE_ACTIVE);
  EXPECT_TRUE(Session().eligible());
}

TEST_F(FleetCommands, AClosedSessionIsAnsweredAsItIs) {
  Activate(1);
  ASSERT_TRUE(Fence(FenceRequest("worker-1")).ok());

  ASSERT_TRUE(Drain(DrainRequest("worker-1")).ok());
  ASSERT_TRUE(Fence(FenceRequest("worker-1")).ok());

  for (const SessionStatus& session : {drained_.session(), fenced_.session()}) {
    EXPECT_EQ(session.state(), controlplane::v1::SESSION_STATE_CLOSED);
    EXPECT_EQ(session.close_reason(), CLOSE_REASON_FENCED);
  }
}

TEST_F(FleetCommands, WhatIsMalformedNamesItsFieldAndIsNotLogged) {
  DrainSessionRequest drain = DrainRequest("worker-1");
  drain.set_kind(controlplane::v1::SESSION_KIND_AGENT);
  FenceSessionRequest fence = FenceRequest("worker-1");
  fence.clear_reason();
  ReclaimProxiesRequest reclaim;
  reclaim.add_proxy_ids("http://user:pass@198.18.0.1:8080");
  reclaim.set_reason("r");

  const std::vector<std::pair<grpc::Status, std::string>> refused = {
      {Drain(drain), "kind"},
      {Fence(fence), "reason"},
      {Reclaim(reclaim), "proxy_ids[0]"},
      {SetEligible("a b", false), "member_id"},
      {Clear(ALARM_KIND_UNSPECIFIED, ""), "kind"},
  };

  for (const auto& [status, field] : refused) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << field;
    EXPECT_EQ(DetailOf(status)->detail.field(), field);
    EXPECT_THAT(status.error_message(), ::testing::Not(HasSubstr("pass@")));
  }
  for (const auto kind : {log::v1::Input::kDrainSession, log::v1::Input::kFenceSession, log::v1::Input::kReclaimProxies,
                          log::v1::Input::kSetEligibility, log::v1::Input::kClearAlarm}) {
    EXPECT_EQ(LastSequence(kind), 0u);
  }
}

TEST_F(FleetCommands, MoreProxiesThanACallMayNameAreOverTheLimit) {
  ReclaimProxiesRequest reclaim;
  for (int i = 0; i < 10'001; ++i) reclaim.add_proxy_ids("p");
  reclaim.set_reason("r");

  const grpc::Status status = Reclaim(reclaim);

  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(ReasonOf(status), controlplane::v1::REJECT_REASON_LIMIT_EXCEEDED);
}

}  // namespace
}  // namespace holdfast::server
