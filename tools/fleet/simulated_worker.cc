#include "tools/fleet/simulated_worker.h"

#include <utility>

namespace holdfast::fleet {

SimulatedWorker::SimulatedWorker(FleetEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler,
                                 std::size_t number, std::unique_ptr<AckLog> ack_log)
    : SimulatedMember(environment.options.faults, std::move(scheduler), environment.options.seed * 1'000'003 + number),
      environment_(environment),
      number_(number),
      worker_id_(MemberId(environment.options.name, number)),
      ack_log_(std::move(ack_log)) {}

// Its processes write to the ack log until they are gone.
SimulatedWorker::~SimulatedWorker() { KillAll(); }

std::unique_ptr<WorkerProcess> SimulatedWorker::MakeProcess(std::uint64_t seed) {
  return std::make_unique<WorkerProcess>(environment_, scheduler(), number_, worker_id_, ack_log_.get(), seed);
}

void SimulatedWorker::OnHeavyDraw(std::uint64_t draw) {
  if (draw < 75) {
    CountFault("update_corrupted");
    return process().CorruptNextUpdate();
  }
  if (draw < 82) return LeaveZombie();
  if (draw < 90) return StopReading();
  if (draw < 100) {
    CountFault("outcomes_flooded");
    process().FloodOutcomes();
  }
}

}  // namespace holdfast::fleet
