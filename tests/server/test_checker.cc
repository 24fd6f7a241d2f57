#include "tests/server/test_checker.h"

#include <gtest/gtest.h>

namespace holdfast::server {

using namespace controlplane::v1;

HealthObservation Observe(const CheckTask& task, controlplane::v1::Verdict verdict) {
  HealthObservation seen;
  seen.set_task_id(task.task_id());
  seen.set_proxy_id(task.proxy_id());
  seen.set_level(task.level());
  seen.set_routing_id(task.routing_id());
  seen.set_verdict(verdict);
  seen.set_phase(verdict == VERDICT_FAIL ? OUTCOME_PHASE_DIAL : OUTCOME_PHASE_UNSPECIFIED);
  seen.set_error(verdict == VERDICT_FAIL ? OUTCOME_ERROR_REFUSED : OUTCOME_ERROR_NONE);
  seen.mutable_latency()->set_nanos(25'000'000);
  return seen;
}

RegisterCheckerRequest TestChecker::RegisterRequest() const {
  RegisterCheckerRequest request;
  request.set_checker_id(checker_id_);
  request.set_instance_id("instance-1");
  request.set_zone("zone-a");
  request.set_supported_protocol_version(1);
  request.set_max_concurrency(100);
  for (const auto level : {CHECK_LEVEL_BASIC, CHECK_LEVEL_EGRESS, CHECK_LEVEL_TARGET}) request.add_levels(level);
  return request;
}

WatchTasksRequest TestChecker::WatchRequest() const {
  WatchTasksRequest request;
  request.set_checker_id(checker_id_);
  request.set_session_id(session_.session_id());
  return request;
}

ReportObservationsRequest TestChecker::ReportRequest(std::uint64_t sequence) const {
  ReportObservationsRequest request;
  request.set_checker_id(checker_id_);
  request.set_session_id(session_.session_id());
  request.set_sequence(sequence);
  return request;
}

grpc::Status TestChecker::Call(const RegisterCheckerRequest& request) {
  grpc::ClientContext context;
  RegisterCheckerResponse response;
  const grpc::Status status = stub_->RegisterChecker(&context, request, &response);
  if (status.ok()) session_ = response;
  return status;
}

grpc::Status TestChecker::Call(const ReportObservationsRequest& request) {
  grpc::ClientContext context;
  return stub_->ReportObservations(&context, request, &reported_);
}

void TestChecker::CallWell(const ReportObservationsRequest& request) {
  const grpc::Status status = Call(request);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

void TestChecker::Register() {
  const grpc::Status status = Call(RegisterRequest());
  ASSERT_TRUE(status.ok()) << status.error_message();
  sequence_ = 0;
}

std::unique_ptr<TestTasks> TestChecker::Activate() {
  Register();
  std::unique_ptr<TestTasks> tasks = Watch();
  tasks->WaitForInitialMetadata();
  return tasks;
}

CheckTask TestChecker::ReadTask(TestTasks& tasks) {
  for (auto update = tasks.Read(); update; update = tasks.Read()) {
    if (update->has_task()) return update->task();
  }
  ADD_FAILURE() << "the stream ended instead of bringing a task";
  return {};
}

void TestChecker::Report(const HealthObservation& observation) {
  ReportObservationsRequest request = ReportRequest(++sequence_);
  *request.add_observations() = observation;
  CallWell(request);
}

void TestChecker::Heartbeat() { CallWell(ReportRequest(++sequence_)); }

}  // namespace holdfast::server
