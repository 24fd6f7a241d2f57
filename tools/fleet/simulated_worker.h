// One logical worker of the fleet: its process in force, old ones that go on as zombies, and the faults that happen.
//
// On its loop's thread. Which fault happens when comes from the seed alone (what the controller does about it does
// not): each second one draw.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/fleet/worker_process.h"

namespace holdfast::fleet {

class SimulatedWorker {
 public:
  SimulatedWorker(FleetEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler, std::size_t number,
                  std::unique_ptr<AckLog> ack_log);
  ~SimulatedWorker();

  void Start();
  // Zombies are killed, the process in force drains; `done` when it is over.
  void Drain(Duration bound, std::function<void()> done);

 private:
  void StartProcess();
  void ScheduleDraw();
  void Draw();
  void Restart();
  void Vanish();
  void LeaveZombie();
  void StopReading();
  void After(Duration delay, client::Scheduler::Task task);

  FleetEnvironment& environment_;
  const std::shared_ptr<client::Scheduler> scheduler_;
  const std::size_t number_;
  const std::string worker_id_;
  const std::unique_ptr<AckLog> ack_log_;
  Prng prng_;
  std::unique_ptr<WorkerProcess> process_;
  std::vector<std::unique_ptr<WorkerProcess>> zombies_;
  bool disturbed_ = false;  // a fault that lasts is under way
  bool leaving_ = false;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::fleet
