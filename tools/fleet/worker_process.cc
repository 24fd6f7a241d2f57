#include "tools/fleet/worker_process.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "client/grpc_worker_transport.h"

namespace holdfast::fleet {

namespace wire = controlplane::v1;
using client::BootTime;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t kTunnelsMax = 20;
constexpr int kFloodOutcomes = 5'000;

client::WorkerSettings SettingsFor(const FleetOptions& options, const std::string& worker_id) {
  client::WorkerSettings settings;
  settings.worker_id = worker_id;
  settings.software_version = "holdfast-fleet";
  settings.report_interval = options.report_interval;
  return settings;
}

std::int64_t Micros(const google::protobuf::Timestamp& time) {
  return time.seconds() * 1'000'000 + time.nanos() / 1'000;
}

}  // namespace

WorkerProcess::WorkerProcess(FleetEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler,
                             std::size_t number, const std::string& worker_id, AckLog* ack_log, std::uint64_t seed)
    : environment_(environment), scheduler_(std::move(scheduler)), ack_log_(ack_log), prng_(seed), faults_(scheduler_) {
  tunnels_wanted_ = static_cast<std::size_t>(prng_.Between(1, kTunnelsMax));
  auto grpc_transport = std::make_unique<client::GrpcWorkerTransport>(
      scheduler_, [&environment, number] { return environment.channels.Get(number); });
  auto transport = std::make_unique<TappedTransport>(faults_, std::move(grpc_transport),
                                                     [this](judge::What what) { Tell(std::move(what)); });
  transport_ = transport.get();
  client_ = std::make_unique<client::WorkerClient>(SettingsFor(environment.options, worker_id), scheduler_,
                                                   std::move(transport), *this, environment.random);
  who_ = {WorkerId(worker_id), InstanceId(client_->instance_id())};
}

WorkerProcess::~WorkerProcess() {
  scheduler_->Cancel(timer_);
  // A killed process ends all that runs in it at one moment.
  for (Tunnel& tunnel : tunnels_) EndTunnel(tunnel);
  tunnels_.clear();
  environment_.statistics.CountState(last_state_, LifecycleState::kClosed);
  Tell(judge::Died());
}

void WorkerProcess::Start() {
  client_->Start();
  Tick();
}

void WorkerProcess::Drain(Duration bound, std::function<void()> done) {
  scheduler_->Cancel(std::exchange(timer_, 0));
  for (Tunnel& tunnel : tunnels_) EndTunnel(tunnel);
  tunnels_.clear();
  if (finished_) return done();
  on_finished_ = std::move(done);
  client_->Drain(bound);
}

void WorkerProcess::Tell(judge::What what) {
  environment_.feed.Add({scheduler_->Now().time_since_epoch().count(), who_, std::move(what)});
}

void WorkerProcess::Tick() {
  const BootTime now = scheduler_->Now();
  for (Tunnel& tunnel : tunnels_) {
    if (now >= tunnel.ends_at) EndTunnel(tunnel);
  }
  std::erase_if(tunnels_, [now](const Tunnel& tunnel) { return now >= tunnel.ends_at; });
  for (int i = 0; i < 4 && tunnels_.size() < tunnels_wanted_; ++i) BeginTunnel();
  for (Tunnel& tunnel : tunnels_) {
    if (prng_.Chance(1, 2)) tunnel.lease.Activate();
  }
  timer_ = scheduler_->RunAt(now + milliseconds(prng_.Between(100, 300)), [this] { Tick(); });
}

const wire::Routing* WorkerProcess::PickRouting() {
  const client::SnapshotViewPointer& view = client_->traffic().views().owned();
  if (!environment_.options.routings || !view || view->routings->routings.empty()) return nullptr;
  return &view->routings->routings[prng_.Below(view->routings->routings.size())];
}

bool WorkerProcess::Fits(const client::GrantRow& row, const wire::Routing* routing) const {
  if (!routing) return true;
  for (const auto& [key, value] : routing->proxy_labels()) {
    const auto label = row.grant.labels().find(key);
    if (label == row.grant.labels().end() || label->second != value) return false;
  }
  const auto& unhealthy = row.grant.unhealthy_routing_ids();
  return std::find(unhealthy.begin(), unhealthy.end(), routing->routing_id()) == unhealthy.end();
}

void WorkerProcess::BeginTunnel() {
  const wire::Routing* routing = PickRouting();
  std::optional<client::Lease> lease =
      client_->traffic().Reserve(prng_.Next(), [&](const client::GrantRow& row) { return Fits(row, routing); });
  if (!lease) return;
  const std::string proxy_id = lease->row().id();
  Tell(judge::UseBegan{proxy_id});
  environment_.statistics.CountTunnels(1, 0);
  // Most are short; some last longer than any window and have to be cut when theirs is over.
  const milliseconds length(prng_.Chance(1, 50) ? prng_.Between(30'000, 120'000) : prng_.Between(50, 5'000));
  tunnels_.push_back({*std::move(lease), proxy_id, scheduler_->Now() + length});
}

void WorkerProcess::EndTunnel(Tunnel& tunnel) {
  wire::Outcome outcome;
  outcome.set_proxy_id(tunnel.proxy_id);
  outcome.set_phase(wire::OUTCOME_PHASE_TUNNEL);
  const bool failed = prng_.Chance(1, 20);
  outcome.set_error(failed ? wire::OUTCOME_ERROR_TIMEOUT : wire::OUTCOME_ERROR_NONE);
  outcome.mutable_latency()->set_nanos(static_cast<std::int32_t>(prng_.Between(1, 900)) * 1'000'000);
  outcome.set_http_status(failed ? 0 : 200);
  tunnel.lease.End();
  Tell(judge::UseEnded{tunnel.proxy_id});
  client_->PushOutcome(std::move(outcome));
}

void WorkerProcess::FloodOutcomes() {
  for (int i = 0; i < kFloodOutcomes; ++i) {
    wire::Outcome outcome;
    outcome.set_proxy_id("flood-" + std::to_string(prng_.Below(100)));
    outcome.set_phase(wire::OUTCOME_PHASE_DIAL);
    outcome.set_error(wire::OUTCOME_ERROR_REFUSED);
    client_->PushOutcome(std::move(outcome));
  }
}

void WorkerProcess::OnCall(const client::CallRecord& record) { environment_.statistics.CountCall(record); }

void WorkerProcess::OnState(LifecycleState state) {
  environment_.statistics.CountState(last_state_, state);
  last_state_ = state;
}

void WorkerProcess::Log(const char* kind, const std::string& session_id, const char* number_name, std::uint64_t number,
                        const google::protobuf::Timestamp& server_time) {
  if (!ack_log_) return;
  ack_log_->Append({{"worker_id", who_.worker.value()},
                    {"instance_id", who_.instance.value()},
                    {"session_id", session_id},
                    {"kind", kind},
                    {number_name, number},
                    {"server_time", Micros(server_time)}});
}

void WorkerProcess::OnRegistered(const wire::RegisterWorkerRequest&, const wire::RegisterWorkerResponse& response) {
  Log("register", response.session_id(), "ownership_epoch", response.ownership_epoch(), response.server_time());
}

void WorkerProcess::OnAck(const wire::AcknowledgeSnapshotRequest& request,
                          const wire::AcknowledgeSnapshotResponse& response) {
  Log(request.accepted() ? "ack" : "nack", request.session_id(), "version", request.version(), response.server_time());
}

void WorkerProcess::OnReport(const wire::ReportRuntimeRequest& request, const wire::ReportRuntimeResponse& response) {
  Log("report", request.session_id(), "sequence", response.accepted_sequence(), response.server_time());
}

void WorkerProcess::OnOutcomes(const wire::ReportOutcomesRequest& request,
                               const wire::ReportOutcomesResponse& response) {
  Log("outcomes", request.session_id(), "sequence", response.accepted_sequence(), response.server_time());
}

void WorkerProcess::OnUpdateTaken(const client::UpdateTaken& taken) {
  Tell(judge::UpdateTaken{taken.view->session_id, taken.view->version});
  environment_.statistics.CountUpdate(taken.kind);
}

void WorkerProcess::OnUpdateRefused(const client::UpdateRefused& refused) {
  environment_.statistics.CountRefused(refused);
}

void WorkerProcess::OnCut(const std::vector<std::string>& proxy_ids) {
  std::uint64_t cut = 0;
  const auto must_end = [&](const Tunnel& tunnel) {
    return std::find(proxy_ids.begin(), proxy_ids.end(), tunnel.proxy_id) != proxy_ids.end();
  };
  for (Tunnel& tunnel : tunnels_) {
    if (!must_end(tunnel)) continue;
    EndTunnel(tunnel);
    ++cut;
  }
  std::erase_if(tunnels_, must_end);
  environment_.statistics.CountTunnels(0, cut);
}

void WorkerProcess::OnFinished(session::SessionEnd end, const std::string& why) {
  if (end == session::SessionEnd::kRefusedForGood) {
    std::cerr << "holdfast-fleet: " << who_.worker.value() << " is refused for good: " << why << "\n";
  }
  finished_ = true;
  if (on_finished_) std::exchange(on_finished_, nullptr)();
}

}  // namespace holdfast::fleet
