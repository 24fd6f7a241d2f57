// CheckProxy over real gRPC: answered with what a checker found, or without it, and never left open.

#include <gtest/gtest.h>

#include <future>

#include "server/read_observation.h"
#include "server/rejection_status.h"
#include "tests/server/call_detail.h"
#include "tests/server/operator_fixture.h"
#include "tests/server/test_checker.h"
#include "tests/server/wait_until.h"

namespace holdfast::server {
namespace {

using namespace controlplane::v1;
using admin::v1::CheckProxyRequest;
using admin::v1::CheckProxyResponse;
using log::v1::Input;
using std::chrono::seconds;

CheckProxyRequest Basic(const std::string& proxy_id) {
  CheckProxyRequest request;
  request.set_proxy_id(proxy_id);
  request.set_level(CHECK_LEVEL_BASIC);
  return request;
}

// A call under way, on a thread of its own.
class CheckUnderWay {
 public:
  CheckUnderWay(OperatorDaemon& daemon, CheckProxyRequest request)
      : daemon_(daemon), request_(std::move(request)), asked_before_(Asked()) {
    status_ =
        std::async(std::launch::async, [this] { return daemon_.pool().CheckProxy(&context_, request_, &response_); });
  }

  // Until the check is decided.
  void WaitUntilAsked() {
    WaitUntil([this] { return Asked() > asked_before_; });
    daemon_.daemon().Settle();
  }
  // Waits for it, without time passing for the daemon.
  grpc::Status Answer() { return status_.get(); }
  void Cancel() { context_.TryCancel(); }

  const CheckProxyResponse& response() const { return response_; }

 private:
  std::size_t Asked() const { return daemon_.daemon().Entries(Input::kCheckProxy).size(); }

  OperatorDaemon& daemon_;
  const CheckProxyRequest request_;
  const std::size_t asked_before_;
  grpc::ClientContext context_;
  CheckProxyResponse response_;
  std::future<grpc::Status> status_;
};

class CheckProxy : public ::testing::Test {
 protected:
  // No check comes by itself once proxy-0 has been seen.
  CheckProxy() : daemon_(Options()), checker_(daemon_.daemon(), "checker-1") {
    daemon_.daemon().Import(1);
    tasks_ = checker_.Activate();
    checker_.Answer(checker_.ReadTask(*tasks_), VERDICT_PASS);
    checker_.Answer(checker_.ReadTask(*tasks_), VERDICT_PASS);  // EGRESS
  }
  static TestDaemon::Options Options() {
    TestDaemon::Options options;
    options.config = TestDaemon::Checked();
    options.config.settings.basic_interval = std::chrono::hours(24);
    options.config.settings.session_ttl = std::chrono::minutes(10);
    return options;
  }
  void LeaveUnattended() {
    tasks_->Cancel();
    WaitUntil([&] { return daemon_.daemon().Entries(Input::kTaskStreamEnded).size() == 1; });
  }
  grpc::Status Call(const CheckProxyRequest& request) {
    grpc::ClientContext context;
    CheckProxyResponse response;
    return daemon_.pool().CheckProxy(&context, request, &response);
  }

  OperatorDaemon daemon_;
  TestChecker checker_;
  std::unique_ptr<TestTasks> tasks_;
};

TEST_F(CheckProxy, IsAnsweredWithWhatTheCheckerSaidAndHowTheKeyStandsAfterIt) {
  CheckUnderWay call(daemon_, Basic("proxy-0"));
  const CheckTask task = checker_.ReadTask(*tasks_);

  HealthObservation seen = Observe(task, VERDICT_FAIL);
  seen.mutable_observed_at()->set_seconds(1'234);
  checker_.Report(seen);
  const grpc::Status status = call.Answer();

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(call.response().observation().DebugString(), seen.DebugString());
  EXPECT_EQ(call.response().status().level(), CHECK_LEVEL_BASIC);
  EXPECT_EQ(call.response().status().state(), admin::v1::HEALTH_STATE_SUSPECT);
  EXPECT_EQ(call.response().status().consecutive_failures(), 1u);
  EXPECT_TRUE(call.response().status().has_next_due_at());
  WaitUntil([&] { return daemon_.services().streams() == 0; });
}

TEST_F(CheckProxy, AnInconclusiveObservationIsAnAnswerThatChangesNothing) {
  CheckUnderWay call(daemon_, Basic("proxy-0"));
  const CheckTask task = checker_.ReadTask(*tasks_);

  HealthObservation seen = Observe(task, VERDICT_INCONCLUSIVE);
  seen.set_error(OUTCOME_ERROR_DNS);
  checker_.Report(seen);
  const grpc::Status status = call.Answer();

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(call.response().observation().verdict(), VERDICT_INCONCLUSIVE);
  EXPECT_EQ(call.response().observation().error(), OUTCOME_ERROR_DNS);
  EXPECT_EQ(call.response().status().state(), admin::v1::HEALTH_STATE_AVAILABLE);
}

TEST_F(CheckProxy, IsAnsweredWithoutAnObservationWhenItsTaskRunsOut) {
  CheckUnderWay call(daemon_, Basic("proxy-0"));
  checker_.ReadTask(*tasks_);

  daemon_.Advance(seconds(12));
  const grpc::Status status = call.Answer();

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(call.response().has_observation());
  EXPECT_EQ(call.response().status().state(), admin::v1::HEALTH_STATE_AVAILABLE);
}

TEST_F(CheckProxy, IsAnsweredAfterTwiceTheTimeOfATaskWhereNobodyTakesIt) {
  LeaveUnattended();
  CheckUnderWay call(daemon_, Basic("proxy-0"));
  call.WaitUntilAsked();

  daemon_.Advance(seconds(24));
  const grpc::Status status = call.Answer();

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(call.response().has_observation());
  EXPECT_TRUE(call.response().status().has_next_due_at());
}

TEST_F(CheckProxy, UntilThenItWaitsForACheckerToCome) {
  LeaveUnattended();
  CheckUnderWay call(daemon_, Basic("proxy-0"));
  call.WaitUntilAsked();

  daemon_.Advance(seconds(23));
  daemon_.Proxy("proxy-0");  // behind whatever the time has set off
  tasks_ = checker_.Watch();
  checker_.Answer(checker_.ReadTask(*tasks_), VERDICT_PASS);
  const grpc::Status status = call.Answer();

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(call.response().observation().verdict(), VERDICT_PASS);
}

TEST_F(CheckProxy, ATaskThatWasUnderWayBeforeRunsOutAndTheNextOneAnswers) {
  CheckUnderWay first(daemon_, Basic("proxy-0"));
  checker_.ReadTask(*tasks_);
  daemon_.Advance(seconds(11));
  CheckUnderWay second(daemon_, Basic("proxy-0"));
  second.WaitUntilAsked();

  daemon_.Advance(seconds(2));
  const grpc::Status without = first.Answer();
  checker_.Answer(checker_.ReadTask(*tasks_), VERDICT_PASS);
  const grpc::Status with = second.Answer();

  ASSERT_TRUE(without.ok() && with.ok());
  EXPECT_FALSE(first.response().has_observation());
  EXPECT_EQ(second.response().observation().verdict(), VERDICT_PASS);
}

TEST_F(CheckProxy, ACheckOfAProxyThatIsRemovedMeanwhileIsOver) {
  CheckUnderWay call(daemon_, Basic("proxy-0"));
  checker_.ReadTask(*tasks_);

  Input removal;
  removal.mutable_remove_proxies()->add_proxy_ids("proxy-0");
  daemon_.daemon().Decide(removal);
  const grpc::Status status = call.Answer();

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(call.response().has_observation());
  EXPECT_FALSE(call.response().has_status());
}

TEST_F(CheckProxy, WhoGoesAwayLeavesNothingBehindAndTheCheckGoesOn) {
  CheckUnderWay call(daemon_, Basic("proxy-0"));
  const CheckTask task = checker_.ReadTask(*tasks_);
  ASSERT_EQ(daemon_.services().streams(), 1u);

  call.Cancel();
  const grpc::Status status = call.Answer();
  WaitUntil([&] { return daemon_.services().streams() == 0; });
  checker_.Answer(task, VERDICT_FAIL);

  EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(daemon_.Proxy("proxy-0").pool_state(), admin::v1::POOL_STATE_SUSPECT);
}

TEST_F(CheckProxy, TheEndOfTheProcessEndsIt) {
  CheckUnderWay call(daemon_, Basic("proxy-0"));
  checker_.ReadTask(*tasks_);

  daemon_.services().CloseAll(ShuttingDownRejection());
  const grpc::Status waiting = call.Answer();
  const grpc::Status later = Call(Basic("proxy-0"));

  EXPECT_EQ(ReasonOf(waiting), REJECT_REASON_SHUTTING_DOWN);
  EXPECT_EQ(ReasonOf(later), REJECT_REASON_SHUTTING_DOWN);
}

TEST_F(CheckProxy, AnObservationThatTheLogDoesNotHaveIsNotFound) {
  const auto other_entry = ReadObservation(daemon_.daemon().log(), {Sequence(1), TaskId(1)});
  const auto no_entry = ReadObservation(daemon_.daemon().log(), {Sequence(1'000'000), TaskId(1)});

  EXPECT_EQ(other_entry.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(no_entry.status().code(), absl::StatusCode::kNotFound);
}

TEST_F(CheckProxy, WhatIsNotThereOrNotCheckedSoIsRefusedWithItsField) {
  CheckProxyRequest level = Basic("proxy-0"), routing = Basic("proxy-0"), target = Basic("proxy-0");
  level.clear_level();
  routing.set_routing_id("shop");
  target.set_level(CHECK_LEVEL_TARGET);
  target.set_routing_id("shop");
  daemon_.daemon().Import(1, "new-");
  CheckProxyRequest egress = Basic("new-0");
  egress.set_level(CHECK_LEVEL_EGRESS);

  const std::tuple<CheckProxyRequest, controlplane::v1::RejectReason, std::string> cases[] = {
      {Basic("nobody"), REJECT_REASON_NOT_FOUND, "proxy_id"},
      {Basic(""), REJECT_REASON_MALFORMED, "proxy_id"},
      {level, REJECT_REASON_MALFORMED, "level"},
      {routing, REJECT_REASON_MALFORMED, "routing_id"},
      {target, REJECT_REASON_NOT_FOUND, "routing_id"},
      {egress, REJECT_REASON_FAILED_CONDITION, "level"}};
  for (const auto& [request, reason, field] : cases) {
    const grpc::Status status = Call(request);

    EXPECT_EQ(ReasonOf(status), reason) << request.DebugString();
    EXPECT_EQ(DetailOf(status)->detail.field(), field) << request.DebugString();
  }
  WaitUntil([&] { return daemon_.services().streams() == 0; });
}

TEST_F(CheckProxy, ATargetCheckSaysWhichRoutingItIsOf) {
  Input routings;
  auto* spec = routings.mutable_apply_routings()->add_routings();
  spec->mutable_routing()->set_routing_id("shop");
  spec->mutable_routing()->add_host_patterns("*.example.com");
  spec->mutable_routing()->add_ports(443);
  spec->add_targets()->set_url("https://shop.example.com/");
  daemon_.daemon().Decide(routings);
  CheckUnderWay basic(daemon_, Basic("proxy-0"));
  checker_.Answer(checker_.ReadTask(*tasks_), VERDICT_PASS);  // plans the TARGET check, which is due at once
  ASSERT_TRUE(basic.Answer().ok());
  checker_.Answer(checker_.ReadTask(*tasks_), VERDICT_PASS);
  CheckProxyRequest request = Basic("proxy-0");
  request.set_level(CHECK_LEVEL_TARGET);
  request.set_routing_id("shop");

  CheckUnderWay call(daemon_, request);
  const CheckTask task = checker_.ReadTask(*tasks_);
  checker_.Answer(task, VERDICT_FAIL);
  const grpc::Status status = call.Answer();

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(task.routing_id(), "shop");
  EXPECT_EQ(task.target().url(), "https://shop.example.com/");
  EXPECT_EQ(call.response().observation().routing_id(), "shop");
  EXPECT_EQ(call.response().status().routing_id(), "shop");
  EXPECT_EQ(call.response().status().level(), CHECK_LEVEL_TARGET);
  EXPECT_EQ(call.response().status().state(), admin::v1::HEALTH_STATE_SUSPECT);
}

}  // namespace
}  // namespace holdfast::server
