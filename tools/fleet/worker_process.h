// One process life of a simulated worker: a WorkerClient, and requests through the proxies that it is given.
//
// On its loop's thread. It tells the judge when each request really began and ended, the statistics what happened, and
// the ack log what was acknowledged. No request leaves the process: a proxy is only counted. Destroying it is a kill:
// nothing is said to the controller, and the judge hears that it is gone.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/worker_client.h"
#include "tools/fleet/ack_log.h"
#include "tools/fleet/fleet_environment.h"
#include "tools/fleet/prng.h"
#include "tools/fleet/tapped_transport.h"

namespace holdfast::fleet {

class WorkerProcess : public client::WorkerObserver {
 public:
  WorkerProcess(FleetEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler, std::size_t number,
                const std::string& worker_id, AckLog* ack_log, std::uint64_t seed);
  ~WorkerProcess() override;

  void Start();
  // Ends all requests and drains; `done` when the session is over, or after the bound.
  void Drain(Duration bound, std::function<void()> done);

  NetworkFaults& network() { return faults_; }
  void CorruptNextUpdate() { transport_->CorruptNextUpdate(); }
  void FloodOutcomes();

  // ---- WorkerObserver
  void OnCall(const client::CallRecord& record) override;
  void OnState(LifecycleState state) override;
  void OnRegistered(const controlplane::v1::RegisterWorkerRequest& request,
                    const controlplane::v1::RegisterWorkerResponse& response) override;
  void OnAck(const controlplane::v1::AcknowledgeSnapshotRequest& request,
             const controlplane::v1::AcknowledgeSnapshotResponse& response) override;
  void OnReport(const controlplane::v1::ReportRuntimeRequest& request,
                const controlplane::v1::ReportRuntimeResponse& response) override;
  void OnOutcomes(const controlplane::v1::ReportOutcomesRequest& request,
                  const controlplane::v1::ReportOutcomesResponse& response) override;
  void OnUpdateTaken(const client::UpdateTaken& taken) override;
  void OnUpdateRefused(const client::UpdateRefused& refused) override;
  void OnCut(const std::vector<std::string>& proxy_ids) override;
  void OnFinished(session::SessionEnd end, const std::string& why) override;

 private:
  struct Tunnel {
    client::Lease lease;
    std::string proxy_id;
    client::BootTime ends_at;
  };

  void Tell(judge::What what);
  void Log(const char* kind, const std::string& session_id, const char* number_name, std::uint64_t number,
           const google::protobuf::Timestamp& server_time);
  void Tick();
  void BeginTunnel();
  void EndTunnel(Tunnel& tunnel);
  bool Fits(const client::GrantRow& row, const controlplane::v1::Routing* routing) const;
  const controlplane::v1::Routing* PickRouting();

  FleetEnvironment& environment_;
  const std::shared_ptr<client::Scheduler> scheduler_;
  AckLog* const ack_log_;
  Prng prng_;
  std::size_t tunnels_wanted_ = 0;
  NetworkFaults faults_;
  TappedTransport* transport_ = nullptr;  // owned by the client
  std::unique_ptr<client::WorkerClient> client_;
  judge::Who who_;
  std::vector<Tunnel> tunnels_;
  LifecycleState last_state_ = LifecycleState::kConnecting;
  bool finished_ = false;
  std::function<void()> on_finished_;
  client::Scheduler::TimerId timer_ = 0;
};

}  // namespace holdfast::fleet
