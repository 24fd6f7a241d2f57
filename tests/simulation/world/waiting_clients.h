// Calls of Extract whose intent is committed and not settled: each is answered with what becomes of it, once.
//
// Owned by the simulated controller, emptied with its process. Thread: one. Does not: give up by itself; a caller has
// its own deadline.

#pragma once

#include <map>
#include <string>

#include "tests/simulation/world/wire.h"
#include "tests/simulation/world/world.h"

namespace holdfast::simulation {

class WaitingClients {
 public:
  explicit WaitingClients(World& world) : world_(world) {}

  void Wait(const ExtractionId& id, const IncomingCall& call) { calls_[id.value()] = call; }
  void Settle(const ExtractionSettled& settled);
  // The log says that nothing comes of it in time.
  void Doubt(const ExtractionId& id);
  void Drop() { calls_.clear(); }

 private:
  World& world_;
  std::map<std::string, IncomingCall> calls_;  // by extraction id
};

}  // namespace holdfast::simulation
