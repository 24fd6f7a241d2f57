// A check engine against loopback, and what it said.
//
// The test's thread makes tasks and waits; the engine answers on its own.

#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/boot_clock.h"
#include "tools/checker/check_engine.h"

namespace holdfast::checker {

namespace wire = controlplane::v1;

// With allow_private, the echo at `judge_port` and the judge there.
CheckSettings LoopbackSettings(std::uint16_t judge_port);

// Of one checker and the given proxy on 127.0.0.1; the task's id is of the test's choice or counted up.
wire::CheckTask BasicTask(wire::ProxyScheme scheme, std::uint16_t port);
wire::CheckTask EgressTask(wire::ProxyScheme scheme, std::uint16_t port);
wire::CheckTask TargetTask(wire::ProxyScheme scheme, std::uint16_t port, const std::string& url);
void SetTimeout(wire::CheckTask& task, std::chrono::milliseconds timeout);

class RunningEngine {
 public:
  explicit RunningEngine(CheckSettings settings, SecretBook secrets = {});
  ~RunningEngine();

  // The observation that answers it; the test fails where there is none.
  wire::HealthObservation Check(const wire::CheckTask& task);
  void Submit(const wire::CheckTask& task) { engine_->Submit(task); }
  // Waits until that many observations are there in all; false after 60 s.
  bool WaitFor(std::size_t observations);
  // In the order in which they came.
  std::vector<wire::HealthObservation> said() const;

  CheckEngine& engine() { return *engine_; }

 private:
  const std::unique_ptr<BootClock> boot_clock_;
  const std::unique_ptr<WallClock> wall_clock_;
  const std::unique_ptr<RandomSource> random_;
  mutable std::mutex mutex_;  // guards said_
  std::condition_variable changed_;
  std::vector<wire::HealthObservation> said_;
  std::unique_ptr<CheckEngine> engine_;
};

// "FAIL DIAL REFUSED": the three words of an observation, for comparing in one line.
std::string Words(const wire::HealthObservation& observation);

}  // namespace holdfast::checker
