#include "tools/fleet/simulated_worker.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace holdfast::fleet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string WorkerIdOf(const std::string& name, std::size_t number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%04zu", number + 1);
  return name + "-" + digits;
}

}  // namespace

SimulatedWorker::SimulatedWorker(FleetEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler,
                                 std::size_t number, std::unique_ptr<AckLog> ack_log)
    : environment_(environment),
      scheduler_(std::move(scheduler)),
      number_(number),
      worker_id_(WorkerIdOf(environment.options.name, number)),
      ack_log_(std::move(ack_log)),
      prng_(environment.options.seed * 1'000'003 + number) {}

SimulatedWorker::~SimulatedWorker() = default;

void SimulatedWorker::Start() {
  StartProcess();
  if (environment_.options.faults != Faults::kNone) ScheduleDraw();
}

void SimulatedWorker::Drain(Duration bound, std::function<void()> done) {
  leaving_ = true;
  zombies_.clear();
  if (process_) {
    process_->Drain(bound, std::move(done));
  } else {
    done();
  }
}

void SimulatedWorker::StartProcess() {
  process_ =
      std::make_unique<WorkerProcess>(environment_, scheduler_, number_, worker_id_, ack_log_.get(), prng_.Next());
  process_->Start();
}

void SimulatedWorker::After(Duration delay, client::Scheduler::Task task) {
  scheduler_->RunAt(scheduler_->Now() + delay, [this, alive = std::weak_ptr(alive_), task = std::move(task)] {
    if (alive.lock() && !leaving_) task();
  });
}

void SimulatedWorker::ScheduleDraw() {
  After(seconds(1), [this] {
    Draw();
    ScheduleDraw();
  });
}

// Out of 1,000 draws; each draw takes the same numbers from the generator whatever the state is.
void SimulatedWorker::Draw() {
  const std::uint64_t draw = prng_.Below(1'000);
  if (disturbed_ || !process_) return;
  const bool heavy = environment_.options.faults == Faults::kHeavy;
  const std::uint64_t scale = heavy ? 2 : 1;
  if (draw < 6 * scale) return Restart();
  if (draw < 12 * scale) return Vanish();
  if (draw < 24 * scale) {
    environment_.statistics.CountFault("stream_broken");
    return process_->network().BreakStream();
  }
  if (draw < 30 * scale) {
    environment_.statistics.CountFault("answer_lost");
    return process_->network().LoseNextAnswer();
  }
  if (!heavy) return;
  if (draw < 75) {
    environment_.statistics.CountFault("update_corrupted");
    return process_->network().CorruptNextUpdate();
  }
  if (draw < 82) return LeaveZombie();
  if (draw < 90) return StopReading();
  if (draw < 100) {
    environment_.statistics.CountFault("outcomes_flooded");
    process_->FloodOutcomes();
  }
}

void SimulatedWorker::Restart() {
  environment_.statistics.CountFault("restarted");
  process_.reset();
  disturbed_ = true;
  After(milliseconds(prng_.Between(10, 3'000)), [this] {
    disturbed_ = false;
    StartProcess();
  });
}

void SimulatedWorker::Vanish() {
  environment_.statistics.CountFault("vanished");
  disturbed_ = true;
  process_->network().SetVanished(true);
  After(milliseconds(prng_.Between(1'000, 25'000)), [this] {
    disturbed_ = false;
    process_->network().SetVanished(false);
  });
}

void SimulatedWorker::LeaveZombie() {
  environment_.statistics.CountFault("zombie_left");
  zombies_.push_back(std::move(process_));
  WorkerProcess* zombie = zombies_.back().get();
  StartProcess();
  After(milliseconds(prng_.Between(5'000, 20'000)),
        [this, zombie] { std::erase_if(zombies_, [zombie](const auto& process) { return process.get() == zombie; }); });
}

void SimulatedWorker::StopReading() {
  environment_.statistics.CountFault("reading_stopped");
  disturbed_ = true;
  process_->network().SetReading(false);
  After(milliseconds(prng_.Between(3'000, 15'000)), [this] {
    disturbed_ = false;
    process_->network().SetReading(true);
  });
}

}  // namespace holdfast::fleet
