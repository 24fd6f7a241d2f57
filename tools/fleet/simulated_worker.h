// One logical worker of the fleet: SimulatedMember with the faults that only a worker has.
//
// On its loop's thread.

#pragma once

#include <memory>
#include <string>

#include "tools/fleet/simulated_member.h"
#include "tools/fleet/worker_process.h"

namespace holdfast::fleet {

class SimulatedWorker : public SimulatedMember<WorkerProcess> {
 public:
  SimulatedWorker(FleetEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler, std::size_t number,
                  std::unique_ptr<AckLog> ack_log);
  ~SimulatedWorker() override;

 private:
  std::unique_ptr<WorkerProcess> MakeProcess(std::uint64_t seed) override;
  void CountFault(const char* name) override { environment_.statistics.CountFault(name); }
  void OnHeavyDraw(std::uint64_t draw) override;

  FleetEnvironment& environment_;
  const std::size_t number_;
  const std::string worker_id_;
  const std::unique_ptr<AckLog> ack_log_;
};

}  // namespace holdfast::fleet
