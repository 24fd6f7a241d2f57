// One logical member of the fleet, worker, checker or client: its process in force, old ones that go on as zombies, and
// the faults that happen to it.
//
// On its loop's thread. Which fault happens when comes from the seed alone (what the controller does about it does
// not): each second one draw, out of 1,000. The faults that every member has are here; a heavy draw above them is the
// member's own. Process: Start(), Drain(bound, done), network().

#pragma once

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/scheduler.h"
#include "tools/fleet/fleet_options.h"
#include "tools/fleet/prng.h"

namespace holdfast::fleet {

// NAME-0001 and so on; `number` counts from 0.
inline std::string MemberId(const std::string& name, std::size_t number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%04zu", number + 1);
  return name + "-" + digits;
}

template <class Process>
class SimulatedMember {
 public:
  SimulatedMember(Faults faults, std::shared_ptr<client::Scheduler> scheduler, std::uint64_t seed)
      : scheduler_(std::move(scheduler)), faults_(faults), prng_(seed) {}
  virtual ~SimulatedMember() = default;

  void Start() {
    StartProcess();
    if (faults_ != Faults::kNone) ScheduleDraw();
  }

  // Zombies are killed, the process in force drains; `done` when it is over.
  void Drain(Duration bound, std::function<void()> done) {
    leaving_ = true;
    zombies_.clear();
    if (process_) {
      process_->Drain(bound, std::move(done));
    } else {
      done();
    }
  }

 protected:
  // The draws of what every member has end here; a heavy one from here on is the member's own.
  static constexpr std::uint64_t kOwnDraws = 60;

  virtual std::unique_ptr<Process> MakeProcess(std::uint64_t seed) = 0;
  virtual void CountFault(const char* name) = 0;
  virtual void OnHeavyDraw(std::uint64_t draw) = 0;

  // Before what the processes use is gone.
  void KillAll() {
    process_.reset();
    zombies_.clear();
  }

  Process& process() { return *process_; }
  const std::shared_ptr<client::Scheduler>& scheduler() const { return scheduler_; }

  // A fault that lasts: no other one happens meanwhile. `end` finds the process as `begin` left it.
  void Disturb(const char* name, int least_ms, int most_ms, const std::function<void()>& begin,
               std::function<void()> end) {
    CountFault(name);
    disturbed_ = true;
    begin();
    After(std::chrono::milliseconds(prng_.Between(least_ms, most_ms)), [this, end = std::move(end)] {
      disturbed_ = false;
      end();
    });
  }

  void StopReading() {
    Disturb(
        "reading_stopped", 3'000, 15'000, [this] { process_->network().SetReading(false); },
        [this] { process_->network().SetReading(true); });
  }

  void LeaveZombie() {
    CountFault("zombie_left");
    zombies_.push_back(std::move(process_));
    Process* zombie = zombies_.back().get();
    StartProcess();
    After(std::chrono::milliseconds(prng_.Between(5'000, 20'000)), [this, zombie] {
      std::erase_if(zombies_, [zombie](const auto& process) { return process.get() == zombie; });
    });
  }

 private:
  void StartProcess() {
    process_ = MakeProcess(prng_.Next());
    process_->Start();
  }

  void After(Duration delay, client::Scheduler::Task task) {
    scheduler_->RunAt(scheduler_->Now() + delay, [this, alive = std::weak_ptr(alive_), task = std::move(task)] {
      if (alive.lock() && !leaving_) task();
    });
  }

  void ScheduleDraw() {
    After(std::chrono::seconds(1), [this] {
      Draw();
      ScheduleDraw();
    });
  }

  // Each draw takes the same numbers from the generator whatever the state is.
  void Draw() {
    const std::uint64_t draw = prng_.Below(1'000);
    if (disturbed_ || !process_) return;
    const std::uint64_t scale = faults_ == Faults::kHeavy ? 2 : 1;
    if (draw < 6 * scale) return Restart();
    if (draw < 12 * scale) return Vanish();
    if (draw < 24 * scale) return BreakStream();
    if (draw < kOwnDraws / 2 * scale) {
      CountFault("answer_lost");
      return process_->network().LoseNextAnswer();
    }
    if (faults_ == Faults::kHeavy) OnHeavyDraw(draw);
  }

  void BreakStream() {
    if (!process_->network().has_stream()) return;
    CountFault("stream_broken");
    process_->network().BreakStream();
  }

  void Restart() {
    Disturb(
        "restarted", 10, 3'000, [this] { process_.reset(); }, [this] { StartProcess(); });
  }

  void Vanish() {
    Disturb(
        "vanished", 1'000, 25'000, [this] { process_->network().SetVanished(true); },
        [this] { process_->network().SetVanished(false); });
  }

  const std::shared_ptr<client::Scheduler> scheduler_;
  const Faults faults_;
  Prng prng_;
  std::unique_ptr<Process> process_;
  std::vector<std::unique_ptr<Process>> zombies_;
  bool disturbed_ = false;  // a fault that lasts is under way
  bool leaving_ = false;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::fleet
