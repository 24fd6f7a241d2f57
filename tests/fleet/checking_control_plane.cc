#include "tests/fleet/checking_control_plane.h"

#include <grpcpp/server_builder.h>

#include <chrono>
#include <deque>
#include <utility>

#include "tests/client/rejection_status.h"

namespace holdfast::fleet {
namespace {

grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context, const grpc::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

grpc::Status Superseded() {
  return test::Rejection(grpc::StatusCode::FAILED_PRECONDITION, wire::REJECT_REASON_SESSION_SUPERSEDED);
}

}  // namespace

// Belongs to gRPC and, while it is the newest, to the control plane; gone when both have let go.
class CheckingControlPlane::Stream : public grpc::ServerWriteReactor<wire::TaskUpdate> {
 public:
  Stream(CheckingControlPlane& owner, std::string checker_id) : owner_(owner), checker_id_(std::move(checker_id)) {}

  void KeepUntilDone(std::shared_ptr<Stream> self) { self_ = std::move(self); }

  void Write(wire::TaskUpdate update) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(update));
    if (queue_.size() == 1 && !finished_) StartWrite(&queue_.front());
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
    if (ok && !finished_ && !queue_.empty()) StartWrite(&queue_.front());
  }

  void OnCancel() override {
    owner_.Gone(checker_id_, this);
    End(grpc::Status::CANCELLED);
  }

  void OnDone() override { self_.reset(); }

 private:
  CheckingControlPlane& owner_;
  const std::string checker_id_;
  std::mutex mutex_;  // guards queue_ and finished_
  std::deque<wire::TaskUpdate> queue_;
  bool finished_ = false;
  std::shared_ptr<Stream> self_;
};

// The pool as an operator reads it.
class CheckingControlPlane::Pool final : public admin::v1::PoolAdmin::Service {
 public:
  explicit Pool(CheckingControlPlane& owner) : owner_(owner) {}

  grpc::Status ListProxies(grpc::ServerContext*, const admin::v1::ListProxiesRequest*,
                           grpc::ServerWriter<admin::v1::ListProxiesResponse>* writer) override {
    admin::v1::ListProxiesResponse response;
    {
      const std::lock_guard lock(owner_.mutex_);
      for (const auto& [proxy_id, state] : owner_.states_) {
        admin::v1::ProxyStatus& proxy = *response.add_proxies();
        proxy.mutable_spec()->set_proxy_id(proxy_id);
        proxy.set_pool_state(state);
      }
    }
    writer->Write(response);
    return grpc::Status::OK;
  }

 private:
  CheckingControlPlane& owner_;
};

CheckingControlPlane::CheckingControlPlane(Reducer reducer, int proxies, const std::string& begin)
    : reducer_(reducer), clock_(*SystemBootClock()), pool_(std::make_unique<Pool>(*this)) {
  for (int i = 0; i < proxies; ++i) states_[begin + std::to_string(i)] = admin::v1::POOL_STATE_PENDING;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(this);
  builder.RegisterService(pool_.get());
  server_ = builder.BuildAndStart();
  address_ = "127.0.0.1:" + std::to_string(port);
}

CheckingControlPlane::~CheckingControlPlane() { server_->Shutdown(std::chrono::system_clock::time_point::min()); }

grpc::ServerUnaryReactor* CheckingControlPlane::RegisterChecker(grpc::CallbackServerContext* context,
                                                                const wire::RegisterCheckerRequest* request,
                                                                wire::RegisterCheckerResponse* response) {
  std::shared_ptr<Stream> superseded;
  {
    const std::lock_guard lock(mutex_);
    response->set_session_id("session-" + std::to_string(++sessions_));
    session_of_[request->checker_id()] = response->session_id();
    superseded = std::exchange(streams_[request->checker_id()], nullptr);
  }
  if (superseded) superseded->End(Superseded());
  response->set_protocol_version(1);
  response->set_max_batch(10'000);
  response->mutable_session_ttl()->set_seconds(15);
  response->mutable_report_interval()->set_nanos(100'000'000);
  response->mutable_server_time()->set_seconds(1'000'000);
  response->set_session_state(wire::SESSION_STATE_HANDSHAKING);
  return Answer(context, grpc::Status::OK);
}

bool CheckingControlPlane::Reduce(const wire::HealthObservation& observation) {
  const auto outstanding = outstanding_.find(observation.proxy_id());
  if (outstanding == outstanding_.end() || outstanding->second.task_id != observation.task_id()) return false;
  outstanding_.erase(outstanding);
  const bool passes = observation.verdict() == wire::VERDICT_PASS;
  const auto seen = passes ? admin::v1::POOL_STATE_AVAILABLE : admin::v1::POOL_STATE_UNHEALTHY;
  const bool blind = reducer_ == (passes ? Reducer::kSeesNoLiving : Reducer::kSeesNoDead);
  states_[observation.proxy_id()] = blind ? admin::v1::POOL_STATE_SUSPECT : seen;
  return true;
}

grpc::ServerUnaryReactor* CheckingControlPlane::ReportObservations(grpc::CallbackServerContext* context,
                                                                   const wire::ReportObservationsRequest* request,
                                                                   wire::ReportObservationsResponse* response) {
  const std::lock_guard lock(mutex_);
  if (session_of_[request->checker_id()] != request->session_id()) return Answer(context, Superseded());
  for (const wire::HealthObservation& observation : request->observations()) {
    if (!Reduce(observation)) response->add_unknown_task_ids(observation.task_id());
  }
  GiveTasks();
  response->set_accepted_sequence(request->sequence());
  const bool attached = streams_[request->checker_id()] != nullptr;
  response->set_session_state(request->draining() ? wire::SESSION_STATE_CLOSED
                              : attached          ? wire::SESSION_STATE_ACTIVE
                                                  : wire::SESSION_STATE_HANDSHAKING);
  response->mutable_server_time()->set_seconds(1'000'000);
  return Answer(context, grpc::Status::OK);
}

CheckingControlPlane::Stream* CheckingControlPlane::NextStream() {
  auto next = streams_.upper_bound(last_given_to_);
  for (std::size_t tried = 0; tried <= streams_.size(); ++tried, ++next) {
    if (next == streams_.end()) next = streams_.begin();
    if (next == streams_.end() || !next->second) continue;
    last_given_to_ = next->first;
    return next->second.get();
  }
  return nullptr;
}

void CheckingControlPlane::GiveTasks() {
  const std::int64_t now_us = clock_->Micros();
  for (const auto& [proxy_id, state] : states_) {
    const auto outstanding = outstanding_.find(proxy_id);
    if (outstanding != outstanding_.end() && now_us - outstanding->second.given_us < kTimeoutUs * 5 / 4) continue;
    Stream* stream = NextStream();
    if (!stream) return;
    wire::TaskUpdate update;
    wire::CheckTask& task = *update.mutable_task();
    task.set_task_id("task-" + std::to_string(++tasks_));
    task.set_proxy_id(proxy_id);
    task.set_level(wire::CHECK_LEVEL_BASIC);
    task.mutable_timeout()->set_nanos(kTimeoutUs * 1'000);
    outstanding_[proxy_id] = {task.task_id(), now_us};
    stream->Write(std::move(update));
  }
}

void CheckingControlPlane::Gone(const std::string& checker_id, const Stream* stream) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Stream>& newest = streams_[checker_id];
  if (newest.get() == stream) newest.reset();
}

grpc::ServerWriteReactor<wire::TaskUpdate>* CheckingControlPlane::WatchTasks(grpc::CallbackServerContext*,
                                                                             const wire::WatchTasksRequest* request) {
  auto stream = std::make_shared<Stream>(*this, request->checker_id());
  stream->KeepUntilDone(stream);
  const std::lock_guard lock(mutex_);
  if (session_of_[request->checker_id()] != request->session_id()) {
    stream->End(Superseded());
    return stream.get();
  }
  streams_[request->checker_id()] = stream;
  GiveTasks();
  return stream.get();
}

}  // namespace holdfast::fleet
