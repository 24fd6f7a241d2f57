#include "tests/client/fake_checker_control_plane.h"

#include <grpcpp/server_builder.h>

#include <chrono>
#include <deque>
#include <utility>

#include "tests/client/patience.h"

namespace holdfast::test {
namespace {

grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

}  // namespace

// Belongs to gRPC and, while it is the newest, to the fake; gone when both have let go.
class FakeCheckerControlPlane::Stream : public grpc::ServerWriteReactor<wire::TaskUpdate> {
 public:
  explicit Stream(FakeCheckerControlPlane& owner) : owner_(owner) {}

  void KeepUntilDone(std::shared_ptr<Stream> self) { self_ = std::move(self); }

  void Write(const wire::TaskUpdate& update) {
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
  FakeCheckerControlPlane& owner_;
  std::mutex mutex_;  // guards queue_ and finished_
  std::deque<wire::TaskUpdate> queue_;
  bool finished_ = false;
  std::shared_ptr<Stream> self_;
};

FakeCheckerControlPlane::FakeCheckerControlPlane() {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  address_ = "127.0.0.1:" + std::to_string(port);
}

FakeCheckerControlPlane::~FakeCheckerControlPlane() {
  EndStream(grpc::Status::OK);
  server_->Shutdown(std::chrono::system_clock::time_point::min());
}

bool FakeCheckerControlPlane::WaitForStreams(std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return watches_.size() >= count; });
}

bool FakeCheckerControlPlane::WaitForObservations(std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return observations_.size() >= count; });
}

bool FakeCheckerControlPlane::WaitForCancelled() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return cancelled_ > 0; });
}

std::vector<wire::WatchTasksRequest> FakeCheckerControlPlane::watches() const {
  const std::lock_guard lock(mutex_);
  return watches_;
}

std::vector<wire::HealthObservation> FakeCheckerControlPlane::observations() const {
  const std::lock_guard lock(mutex_);
  return observations_;
}

void FakeCheckerControlPlane::Push(const wire::TaskUpdate& update) {
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(mutex_);
    stream = newest_;
  }
  if (stream) stream->Write(update);
}

void FakeCheckerControlPlane::EndStream(const grpc::Status& status) {
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(mutex_);
    stream = std::move(newest_);
  }
  if (stream) stream->End(status);
}

grpc::ServerUnaryReactor* FakeCheckerControlPlane::RegisterChecker(grpc::CallbackServerContext* context,
                                                                   const wire::RegisterCheckerRequest*,
                                                                   wire::RegisterCheckerResponse* response) {
  {
    const std::lock_guard lock(mutex_);
    response->set_session_id("session-" + std::to_string(++sessions_));
  }
  response->set_protocol_version(1);
  response->set_log_id("log");
  response->set_max_batch(10'000);
  response->set_session_state(wire::SESSION_STATE_HANDSHAKING);
  response->mutable_session_ttl()->set_seconds(15);
  response->mutable_report_interval()->set_nanos(100'000'000);
  response->mutable_server_time()->set_seconds(kServerTimeSeconds);
  return Answer(context);
}

grpc::ServerUnaryReactor* FakeCheckerControlPlane::ReportObservations(grpc::CallbackServerContext* context,
                                                                      const wire::ReportObservationsRequest* request,
                                                                      wire::ReportObservationsResponse* response) {
  const std::lock_guard lock(mutex_);
  for (const wire::HealthObservation& observation : request->observations()) observations_.push_back(observation);
  response->set_accepted_sequence(request->sequence());
  const bool closed = request->draining() && request->running() == 0;
  response->set_session_state(closed                ? wire::SESSION_STATE_CLOSED
                              : request->draining() ? wire::SESSION_STATE_DRAINING
                              : newest_             ? wire::SESSION_STATE_ACTIVE
                                                    : wire::SESSION_STATE_HANDSHAKING);
  response->mutable_server_time()->set_seconds(kServerTimeSeconds);
  changed_.notify_all();
  return Answer(context);
}

grpc::ServerWriteReactor<wire::TaskUpdate>* FakeCheckerControlPlane::WatchTasks(
    grpc::CallbackServerContext*, const wire::WatchTasksRequest* request) {
  auto stream = std::make_shared<Stream>(*this);
  stream->KeepUntilDone(stream);
  const std::lock_guard lock(mutex_);
  watches_.push_back(*request);
  newest_ = stream;
  changed_.notify_all();
  return stream.get();
}

}  // namespace holdfast::test
