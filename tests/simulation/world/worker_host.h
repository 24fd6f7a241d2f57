// One worker over all its processes: who runs, who went on though it was replaced, who comes next.
//
// Called by the faults of each step. Thread: one.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/world/worker_process.h"

namespace holdfast::simulation {

class WorkerHost {
 public:
  WorkerHost(World& world, Network& network, Controller& controller, WorkerIdentity identity);

  // A new process; with an instance id: that of one that runs already, as two machines of one image have.
  void Start(const std::string& cloned_instance_id = "");
  // The process is gone; another comes after a while.
  void Crash();
  // Another comes at once, while this one goes on for a while.
  void Replace();
  // It drains and goes; another comes after a while.
  void Leave();
  // For the quiet phase: one process, well connected.
  void BeAlone();

  // The newest process; it may be gone.
  WorkerProcess& current() { return *processes_.back(); }
  const WorkerProcess& current() const { return *processes_.back(); }
  const std::vector<std::unique_ptr<WorkerProcess>>& processes() const { return processes_; }
  const WorkerIdentity& identity() const { return identity_; }

 private:
  void StartAfter(Micros delay);

  World& world_;
  Network& network_;
  Controller& controller_;
  const WorkerIdentity identity_;
  const MachineClock clock_;
  std::vector<std::unique_ptr<WorkerProcess>> processes_;  // of all times
  bool start_scheduled_ = false;
};

}  // namespace holdfast::simulation
