// The machine of one simulated client, and its processes one after the other: one that vanishes gives nothing back, and
// what it had ends by its time.
//
// Called by the faults of each step. Thread: one.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/world/client_process.h"

namespace holdfast::simulation {

class ClientHost {
 public:
  ClientHost(World& world, Network& network, Controller& controller, ClientIdentity identity);

  // The process is gone; another comes after a while.
  void Vanish();
  // For the quiet phase.
  void Rest();

  // The newest process; it may be gone.
  ClientProcess& current() { return *processes_.back(); }
  const ClientProcess& current() const { return *processes_.back(); }
  const ClientIdentity& identity() const { return identity_; }

 private:
  void Start();

  World& world_;
  Network& network_;
  Controller& controller_;
  const ClientIdentity identity_;
  const MachineClock clock_;
  std::vector<std::unique_ptr<ClientProcess>> processes_;  // of all times
  bool resting_ = false;
};

}  // namespace holdfast::simulation
