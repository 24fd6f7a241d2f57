// Runs the simulated workers, checkers and clients and the judges, and says how it went.
//
// One object a run, on the main thread; the members run on a few event loops, and whoever looks at the pool on one of
// its own. Signals SIGINT and SIGTERM end the run cleanly; they must be blocked before any thread is made (main does).

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/boot_clock.h"
#include "base/random.h"
#include "client/event_loop.h"
#include "tools/fleet/health_watch.h"
#include "tools/fleet/simulated_checker.h"
#include "tools/fleet/simulated_client.h"
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
  absl::Status MakeWorkers();
  void MakeCheckers();
  absl::Status MakeClients();
  absl::StatusOr<std::unique_ptr<AckLog>> OpenAckLog(const std::string& member_id) const;
  void RunUntilStopped();
  void Stop();
  void DrainAll();
  void SettleClients();
  void Look();
  std::string Progress(Duration elapsed) const;
  int Conclude();
  void Print() const;
  bool reached() const;
  void WarnWhereNothingWasJudged() const;
  client::BootTime Now() const;

  const FleetOptions& options_;
  const BootClock& clock_;
  FleetStatistics statistics_;
  judge::Judge judge_;
  judge::OrderedFeed feed_;
  ChannelPool channels_;
  FleetEnvironment environment_;
  const client::BootTime started_at_;
  const ProxyTruth truth_;
  CheckerStatistics checker_statistics_;
  std::vector<std::shared_ptr<client::EventLoop>> loops_;
  std::vector<std::unique_ptr<SimulatedWorker>> workers_;
  // Only where checkers are asked for.
  std::shared_ptr<client::EventLoop> watch_loop_;
  std::unique_ptr<HealthWatch> watch_;
  std::unique_ptr<CheckerEnvironment> checker_environment_;
  std::vector<std::unique_ptr<SimulatedChecker>> checkers_;
  ClientStatistics client_statistics_;
  ClientEnvironment client_environment_;
  std::vector<std::unique_ptr<SimulatedClient>> clients_;
  Duration elapsed_{};
};

}  // namespace holdfast::fleet
