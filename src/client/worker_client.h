// A gateway worker's side of the control plane: registers, watches, verifies, applies, acknowledges, reports, keeps
// the validity clock, reconnects.
//
// One thread (the scheduler's) runs everything but the request path; hundreds of clients may share it. Made, called
// and destroyed on that thread, except traffic() and PushOutcome, which any thread may use while the client lives.
// Promises what docs/client.md says under "What a worker does": above all that no version is acknowledged before the
// closed bits that it asks for are set, and that what runs is told to end before its window is over.
// Does not open a connection to any proxy, does not route, and stores nothing on disk: its instance_id is drawn anew
// for each object.

#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "client/control_link.h"
#include "client/member_session.h"
#include "client/outcome_link.h"
#include "client/snapshot_link.h"
#include "client/worker_context.h"

namespace holdfast::client {

class WorkerClient {
 public:
  // Requires: `observer` and `random` outlive the client.
  WorkerClient(WorkerSettings settings, std::shared_ptr<Scheduler> scheduler,
               std::unique_ptr<WorkerTransport> transport, WorkerObserver& observer, RandomSource& random);
  ~WorkerClient();

  // Registers, and goes on by itself until OnFinished.
  void Start();
  // Takes nothing new, reports that it drains, and finishes when the controller says closed, or after `bound`.
  void Drain(Duration bound);
  // Finishes at once; nothing is said to the controller.
  void Stop();

  // The request path: any thread.
  TrafficGate& traffic() { return context_.gate; }
  // Never waits, may drop: any thread.
  void PushOutcome(controlplane::v1::Outcome outcome);

  LifecycleState state() const { return session_.state(); }
  const std::string& instance_id() const { return instance_id_; }
  // Of the session in force; empty without one.
  std::string session_id() const { return context_.session ? context_.session->id : std::string(); }

 private:
  struct EndedLinks {
    std::unique_ptr<SnapshotLink> snapshots;
    std::unique_ptr<ControlLink> control;
    std::unique_ptr<OutcomeLink> outcomes;
  };

  void Do(session::SessionAction action);
  void Register();
  controlplane::v1::RegisterWorkerRequest MakeRegistration();
  void OnRegistered(const controlplane::v1::RegisterWorkerRequest& request, const CallResult& result,
                    const controlplane::v1::RegisterWorkerResponse& response, BootTime sent_at);
  void BeginSession();
  void OnTaken();
  void EndSession();
  void ArmCutTimer();
  Duration CutMargin() const;
  void Cut();

  RandomSource& random_;
  WorkerContext context_;
  MemberSession session_;
  const std::string instance_id_;
  std::string registration_id_;      // kept over the retries of one attempt
  std::string previous_session_id_;  // of this process
  std::string last_log_id_;
  std::uint64_t last_outcome_sequence_ = 0;
  std::atomic<bool> flush_posted_{false};
  Scheduler::TimerId cut_timer_ = 0;
  std::vector<EndedLinks> ended_;
  // Of the session in force.
  std::unique_ptr<SnapshotLink> snapshots_;
  std::unique_ptr<ControlLink> control_;
  std::unique_ptr<OutcomeLink> outcomes_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::client
