// A process of a simulated member: it lives, is paused, is cut off, calls the controller, and waits between attempts.
//
// The base of WorkerProcess and CheckerProcess. Thread: one. Promises: nothing that was asked for happens once it is
// gone, nor while it is paused; of each call one end is heard: its answer, or its deadline.

#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "tests/simulation/world/controller.h"
#include "tests/simulation/world/machine_clock.h"
#include "tests/simulation/world/network.h"

namespace holdfast::simulation {

class Process {
 public:
  // name: of the process, whatever it says of itself.
  Process(World& world, Network& network, Controller& controller, const MachineClock& clock, std::string name)
      : world_(world), network_(network), controller_(controller), clock_(clock), name_(std::move(name)) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void Pause(Micros length);
  void CutOff(Micros length) { link_.cut_until = world_.time.now() + length; }

  bool alive() const { return alive_; }
  bool paused() const { return paused_until_ > world_.time.now(); }
  const std::string& name() const { return name_; }

 protected:
  using Done = std::function<void(const CallAnswer&)>;
  ~Process() = default;

  // Now, or when it wakes; not at all once it is gone.
  void Run(std::function<void()> what);
  void Later(Micros delay, std::function<void()> what);
  std::int64_t BootNow() const { return clock_.BootMicros(world_.time.now()); }

  // arrives: asked each time when a copy of the call reaches the controller.
  void Call(const log::v1::Input& input, Micros deadline, const Done& done,
            const std::function<void()>& arrives = nullptr);
  // How long to wait before the next attempt: 1 s, doubling to 10 s, give or take a fifth.
  Micros Backoff();
  // It is gone; the controller hears of it sooner or later.
  void End();
  void EndPauseAndCut();

  World& world_;
  Network& network_;
  Controller& controller_;
  const MachineClock& clock_;
  Link link_;
  int failures_ = 0;

 private:
  const std::string name_;
  bool alive_ = true;
  Micros paused_until_ = 0;
  std::set<std::uint64_t> open_calls_;
  std::uint64_t next_call_ = 1;
};

}  // namespace holdfast::simulation
