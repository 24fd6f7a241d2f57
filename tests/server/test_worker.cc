#include "tests/server/test_worker.h"

#include <gtest/gtest.h>

namespace holdfast::server {
namespace {

using namespace controlplane::v1;

template <class Message>
UpdateHead Head(const Message& message) {
  const std::int64_t micros = message.valid_until().seconds() * 1'000'000 + message.valid_until().nanos() / 1'000;
  return {message.version(), message.ownership_epoch(), message.checksum(), micros};
}

}  // namespace

UpdateHead HeadOf(const SnapshotUpdate& update) {
  if (update.has_full()) return Head(update.full());
  if (update.has_delta()) return Head(update.delta());
  return {};
}

RegisterWorkerRequest TestWorker::RegisterRequest() const {
  RegisterWorkerRequest request;
  request.set_worker_id(worker_id_);
  request.set_instance_id("instance-1");
  request.set_zone("zone-a");
  request.set_supported_protocol_version(1);
  request.add_capabilities(WORKER_CAPABILITY_DELTA);
  request.set_previous_session_id(session_.session_id());
  return request;
}

WatchSnapshotsRequest TestWorker::WatchRequest() const {
  WatchSnapshotsRequest request;
  request.set_worker_id(worker_id_);
  request.set_session_id(session_.session_id());
  request.set_ownership_epoch(session_.ownership_epoch());
  return request;
}

AcknowledgeSnapshotRequest TestWorker::AckRequest(const UpdateHead& head) const {
  AcknowledgeSnapshotRequest request;
  request.set_worker_id(worker_id_);
  request.set_session_id(session_.session_id());
  request.set_version(head.version);
  request.set_ownership_epoch(head.epoch);
  request.set_checksum(head.checksum);
  request.set_accepted(true);
  return request;
}

ReportRuntimeRequest TestWorker::ReportRequest(std::uint64_t sequence) const {
  ReportRuntimeRequest request;
  request.set_worker_id(worker_id_);
  request.set_session_id(session_.session_id());
  request.set_report_sequence(sequence);
  request.set_snapshot_version(acknowledged_.accepted_version());
  request.set_ownership_epoch(session_.ownership_epoch());
  return request;
}

ReportOutcomesRequest TestWorker::OutcomesRequest(std::uint64_t sequence) const {
  ReportOutcomesRequest request;
  request.set_worker_id(worker_id_);
  request.set_session_id(session_.session_id());
  request.set_ownership_epoch(session_.ownership_epoch());
  request.set_sequence(sequence);
  return request;
}

grpc::Status TestWorker::Call(const RegisterWorkerRequest& request) {
  grpc::ClientContext context;
  RegisterWorkerResponse response;
  const grpc::Status status = stub_->RegisterWorker(&context, request, &response);
  if (status.ok()) session_ = response;
  return status;
}

grpc::Status TestWorker::Call(const AcknowledgeSnapshotRequest& request) {
  grpc::ClientContext context;
  return stub_->AcknowledgeSnapshot(&context, request, &acknowledged_);
}

grpc::Status TestWorker::Call(const ReportRuntimeRequest& request) {
  grpc::ClientContext context;
  return stub_->ReportRuntime(&context, request, &reported_);
}

grpc::Status TestWorker::Call(const ReportOutcomesRequest& request) {
  grpc::ClientContext context;
  return stub_->ReportOutcomes(&context, request, &outcomes_);
}

void TestWorker::Register() {
  const grpc::Status status = Call(RegisterRequest());
  ASSERT_TRUE(status.ok()) << status.error_message();
}

std::unique_ptr<TestWatch> TestWorker::Activate() {
  Register();
  std::unique_ptr<TestWatch> watch = Watch();
  ReadAndAcknowledge(*watch);
  return watch;
}

UpdateHead TestWorker::ReadAndAcknowledge(TestWatch& watch) {
  const std::optional<SnapshotUpdate> update = watch.Read();
  EXPECT_TRUE(update.has_value()) << "the stream ended instead of bringing an update";
  if (!update) return {};
  last_ = HeadOf(*update);
  const grpc::Status status = Call(AckRequest(last_));
  EXPECT_TRUE(status.ok()) << status.error_message();
  return last_;
}

}  // namespace holdfast::server
