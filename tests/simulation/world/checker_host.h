// One checker over all its processes: who runs, who went on though it was replaced, who comes next.
//
// Called by the faults of each step. Thread: one.

#pragma once

#include <memory>
#include <vector>

#include "tests/simulation/world/checker_process.h"

namespace holdfast::simulation {

class CheckerHost {
 public:
  CheckerHost(World& world, Network& network, Controller& controller, CheckerIdentity identity);

  // The process is gone; another comes after a while.
  void Crash();
  // Another comes at once, while this one goes on for a while.
  void Replace();
  // It drains and goes; another comes after a while.
  void Leave();
  // For the quiet phase: one process, well connected, that says what is true.
  void BeAlone();

  // The newest process; it may be gone.
  CheckerProcess& current() { return *processes_.back(); }
  const std::vector<std::unique_ptr<CheckerProcess>>& processes() const { return processes_; }
  const CheckerIdentity& identity() const { return identity_; }

 private:
  void Start();
  void StartAfter(Micros delay);

  World& world_;
  Network& network_;
  Controller& controller_;
  const CheckerIdentity identity_;
  const MachineClock clock_;
  std::vector<std::unique_ptr<CheckerProcess>> processes_;  // of all times
  bool start_scheduled_ = false;
};

}  // namespace holdfast::simulation
