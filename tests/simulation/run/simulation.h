// One run: a world from a seed, driven step by step, watched by the checkers, brought to rest, and verified again.
//
//   Run: steps (a happening or two, then time passes, then a look) ─► quiet phase (liveness) ─► verification of the log
//
// Thread: one. Promises: the same seed, steps and capabilities give the same log, byte for byte; the first violation
// ends the run. Does not: print; report.h does.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/checkers/reached.h"
#include "tests/simulation/checkers/violations.h"
#include "tests/simulation/world/operation.h"

namespace holdfast::simulation {

struct RunOptions {
  std::uint64_t seed = 1;
  std::uint64_t steps = 1'500;
  bool verify = true;  // decide the whole log again at the end
};

struct RunResult {
  RunOptions options;
  std::uint64_t steps_done = 0;
  Micros simulated = 0;
  Micros quiet_for = 0;  // until everything had come about; 0: not asked
  std::uint64_t entries = 0;
  std::uint64_t happened = 0;
  std::uint64_t starts = 0;  // of the controller
  std::string chain_hash;    // of the last block, hexadecimal digits
  std::optional<Violation> violation;
  std::vector<std::string> last_entries;  // readable; where something was found
  std::vector<std::pair<std::string, std::uint32_t>> rates;
  Reached reached;
};

class Simulation {
 public:
  explicit Simulation(const RunOptions& options);
  ~Simulation();

  RunResult Run();
  // The log as it stands, also in the middle of a run.
  const Disk& disk() const;

 private:
  struct Parts;

  void StartMembers();
  void Step();
  void Look();
  void BecomeQuiet();
  void VerifyAgain();
  bool broken() const;

  const RunOptions options_;
  std::unique_ptr<Parts> parts_;
  RunResult result_;
};

// The run under way in this thread, for whoever must write its log because a CHECK breaks; nullptr: none.
const Simulation* CurrentSimulation();

}  // namespace holdfast::simulation
