#include "tests/fleet/giving_control_plane.h"

#include <grpcpp/server_builder.h>

#include <chrono>
#include <utility>

#include "tests/client/wire_builders.h"

namespace holdfast::fleet {
namespace {

// Writes one update and stands until its reader goes.
class Gift final : public grpc::ServerWriteReactor<wire::SnapshotUpdate> {
 public:
  explicit Gift(wire::SnapshotUpdate update) : update_(std::move(update)) { StartWrite(&update_); }
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }

 private:
  const wire::SnapshotUpdate update_;
};

grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

// What every answer says.
template <class Response>
void Stamp(Response* response, wire::SessionState state) {
  response->set_session_state(state);
  client::SetTime(*response->mutable_server_time(), client::At(GivingControlPlane::kNowSeconds));
}

}  // namespace

GivingControlPlane::GivingControlPlane(Give give, grpc::Service* beside) : give_(std::move(give)) {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(this);
  if (beside) builder.RegisterService(beside);
  server_ = builder.BuildAndStart();
  address_ = "127.0.0.1:" + std::to_string(port);
}

GivingControlPlane::~GivingControlPlane() { server_->Shutdown(std::chrono::system_clock::time_point::min()); }

grpc::ServerUnaryReactor* GivingControlPlane::RegisterWorker(grpc::CallbackServerContext* context,
                                                             const wire::RegisterWorkerRequest*,
                                                             wire::RegisterWorkerResponse* response) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    response->set_session_id("session-" + std::to_string(++sessions_));
  }
  response->set_ownership_epoch(kEpoch);
  response->set_protocol_version(1);
  response->set_log_id("log");
  response->set_max_batch(10'000);
  response->mutable_session_ttl()->set_seconds(15);
  response->mutable_report_interval()->set_nanos(100'000'000);
  response->mutable_max_stale_age()->set_seconds(600);
  response->mutable_lapse_grace()->set_seconds(10);
  response->mutable_ack_timeout()->set_seconds(5);
  response->mutable_runtime_ttl()->set_seconds(3);
  Stamp(response, wire::SESSION_STATE_HANDSHAKING);
  return Answer(context);
}

grpc::ServerUnaryReactor* GivingControlPlane::AcknowledgeSnapshot(grpc::CallbackServerContext* context,
                                                                  const wire::AcknowledgeSnapshotRequest* request,
                                                                  wire::AcknowledgeSnapshotResponse* response) {
  if (request->accepted()) response->set_accepted_version(request->version());
  Stamp(response, wire::SESSION_STATE_ACTIVE);
  return Answer(context);
}

grpc::ServerUnaryReactor* GivingControlPlane::ReportRuntime(grpc::CallbackServerContext* context,
                                                            const wire::ReportRuntimeRequest* request,
                                                            wire::ReportRuntimeResponse* response) {
  response->set_accepted_sequence(request->report_sequence());
  Stamp(response, wire::SESSION_STATE_ACTIVE);
  return Answer(context);
}

grpc::ServerUnaryReactor* GivingControlPlane::ReportOutcomes(grpc::CallbackServerContext* context,
                                                             const wire::ReportOutcomesRequest* request,
                                                             wire::ReportOutcomesResponse* response) {
  response->set_accepted_sequence(request->sequence());
  Stamp(response, wire::SESSION_STATE_ACTIVE);
  return Answer(context);
}

grpc::ServerWriteReactor<wire::SnapshotUpdate>* GivingControlPlane::WatchSnapshots(
    grpc::CallbackServerContext*, const wire::WatchSnapshotsRequest* request) {
  return new Gift(give_(request->worker_id()));
}

}  // namespace holdfast::fleet
