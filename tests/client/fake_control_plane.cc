#include "tests/client/fake_control_plane.h"

#include <grpcpp/server_builder.h>

#include <chrono>
#include <deque>
#include <utility>

#include "tests/client/patience.h"

namespace holdfast::test {
namespace {}  // namespace

// Belongs to gRPC and, while it is the newest, to the fake; gone when both have let go.
class FakeControlPlane::Stream : public grpc::ServerWriteReactor<wire::SnapshotUpdate> {
 public:
  explicit Stream(FakeControlPlane& owner) : owner_(owner) {}

  void KeepUntilDone(std::shared_ptr<Stream> self) { self_ = std::move(self); }

  void Write(const wire::SnapshotUpdate& update) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(update);
    if (queue_.size() == 1) StartWrite(&queue_.front());
  }

  void End(const grpc::Status& status) {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(finished_, true)) return;
    }
    Finish(status);
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    queue_.pop_front();
    if (ok && !queue_.empty()) StartWrite(&queue_.front());
  }

  void OnCancel() override {
    {
      const std::lock_guard lock(owner_.mutex_);
      ++owner_.cancelled_;
      owner_.changed_.notify_all();
    }
    End(grpc::Status::CANCELLED);
  }

  void OnDone() override { self_.reset(); }

 private:
  FakeControlPlane& owner_;
  std::mutex mutex_;  // guards queue_ and finished_
  std::deque<wire::SnapshotUpdate> queue_;
  bool finished_ = false;
  std::shared_ptr<Stream> self_;
};

FakeControlPlane::FakeControlPlane() {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  address_ = "127.0.0.1:" + std::to_string(port);
}

FakeControlPlane::~FakeControlPlane() {
  EndStream(grpc::Status::OK);
  server_->Shutdown(std::chrono::system_clock::time_point::min());
}

void FakeControlPlane::Refuse(const grpc::Status& status) {
  const std::lock_guard lock(mutex_);
  status_ = status;
}

void FakeControlPlane::Hang() {
  const std::lock_guard lock(mutex_);
  hanging_ = true;
}

bool FakeControlPlane::WaitForStreams(std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return watches_.size() >= count; });
}

bool FakeControlPlane::WaitForCancelled() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return cancelled_ > 0; });
}

std::vector<wire::WatchSnapshotsRequest> FakeControlPlane::watches() const {
  const std::lock_guard lock(mutex_);
  return watches_;
}

void FakeControlPlane::Push(const wire::SnapshotUpdate& update) {
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(mutex_);
    stream = newest_;
  }
  if (stream) stream->Write(update);
}

void FakeControlPlane::EndStream(const grpc::Status& status) {
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(mutex_);
    stream = std::move(newest_);
  }
  if (stream) stream->End(status);
}

grpc::ServerUnaryReactor* FakeControlPlane::Answer(grpc::CallbackServerContext* context) {
  struct Silent : grpc::ServerUnaryReactor {
    void OnCancel() override { Finish(grpc::Status::CANCELLED); }
    void OnDone() override { delete this; }
  };
  const std::lock_guard lock(mutex_);
  if (hanging_) return new Silent;
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(status_);
  return reactor;
}

grpc::ServerUnaryReactor* FakeControlPlane::RegisterWorker(grpc::CallbackServerContext* context,
                                                           const wire::RegisterWorkerRequest*,
                                                           wire::RegisterWorkerResponse* response) {
  {
    const std::lock_guard lock(mutex_);
    response->set_session_id("session-" + std::to_string(++sessions_));
  }
  response->set_ownership_epoch(7);
  response->set_protocol_version(1);
  response->set_log_id("log");
  response->set_max_batch(10'000);
  response->set_session_state(wire::SESSION_STATE_HANDSHAKING);
  response->mutable_session_ttl()->set_seconds(15);
  response->mutable_report_interval()->set_seconds(1);
  response->mutable_max_stale_age()->set_seconds(600);
  response->mutable_lapse_grace()->set_seconds(10);
  response->mutable_server_time()->set_seconds(kServerTimeSeconds);
  return Answer(context);
}

grpc::ServerUnaryReactor* FakeControlPlane::AcknowledgeSnapshot(grpc::CallbackServerContext* context,
                                                                const wire::AcknowledgeSnapshotRequest* request,
                                                                wire::AcknowledgeSnapshotResponse* response) {
  response->set_accepted_version(request->version());
  response->set_session_state(wire::SESSION_STATE_ACTIVE);
  response->mutable_server_time()->set_seconds(kServerTimeSeconds);
  return Answer(context);
}

grpc::ServerUnaryReactor* FakeControlPlane::ReportRuntime(grpc::CallbackServerContext* context,
                                                          const wire::ReportRuntimeRequest* request,
                                                          wire::ReportRuntimeResponse* response) {
  response->set_accepted_sequence(request->report_sequence());
  response->set_session_state(wire::SESSION_STATE_ACTIVE);
  response->mutable_server_time()->set_seconds(kServerTimeSeconds);
  return Answer(context);
}

grpc::ServerUnaryReactor* FakeControlPlane::ReportOutcomes(grpc::CallbackServerContext* context,
                                                           const wire::ReportOutcomesRequest* request,
                                                           wire::ReportOutcomesResponse* response) {
  response->set_accepted_sequence(request->sequence());
  response->set_session_state(wire::SESSION_STATE_ACTIVE);
  response->mutable_server_time()->set_seconds(kServerTimeSeconds);
  return Answer(context);
}

grpc::ServerWriteReactor<wire::SnapshotUpdate>* FakeControlPlane::WatchSnapshots(
    grpc::CallbackServerContext*, const wire::WatchSnapshotsRequest* request) {
  auto stream = std::make_shared<Stream>(*this);
  stream->KeepUntilDone(stream);
  const std::lock_guard lock(mutex_);
  watches_.push_back(*request);
  newest_ = stream;
  changed_.notify_all();
  return stream.get();
}

}  // namespace holdfast::test
