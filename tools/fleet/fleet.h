// Runs the simulated workers and the judge, and says how it went.
//
// One object a run, on the main thread; the workers run on a few event loops. Signals SIGINT and SIGTERM end the run
// cleanly; they must be blocked before any thread is made (main does).

#pragma once

#include <memory>
#include <vector>

#include "base/boot_clock.h"
#include "base/random.h"
#include "client/event_loop.h"
#include "tools/fleet/simulated_worker.h"
#include "tools/judge/judge.h"
#include "tools/judge/ordered_feed.h"

namespace holdfast::fleet {

class Fleet {
 public:
  Fleet(const FleetOptions& options, const BootClock& clock, RandomSource& random);
  ~Fleet();

  // An exit code (fleet_options.h).
  int Run();

 private:
  absl::Status Start();
  void RunUntilStopped();
  void Stop();
  void Look();
  int Conclude();
  client::BootTime Now() const;

  const FleetOptions& options_;
  const BootClock& clock_;
  FleetStatistics statistics_;
  judge::Judge judge_;
  judge::OrderedFeed feed_;
  ChannelPool channels_;
  FleetEnvironment environment_;
  std::vector<std::shared_ptr<client::EventLoop>> loops_;
  std::vector<std::unique_ptr<SimulatedWorker>> workers_;
  client::BootTime started_at_{};
  Duration elapsed_{};
};

}  // namespace holdfast::fleet
