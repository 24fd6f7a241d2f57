// All checkers of a run behind one door, in the order in which they must hear things.
//
// Called by the world with what is committed, what leaves the controller, and what workers do. Thread: one.

#pragma once

#include <string>

#include "tests/simulation/checkers/check_model.h"
#include "tests/simulation/checkers/checker_session_checker.h"
#include "tests/simulation/checkers/drain_checker.h"
#include "tests/simulation/checkers/durability_checker.h"
#include "tests/simulation/checkers/entry.h"
#include "tests/simulation/checkers/extraction_checker.h"
#include "tests/simulation/checkers/extraction_model.h"
#include "tests/simulation/checkers/guard_checker.h"
#include "tests/simulation/checkers/health_checker.h"
#include "tests/simulation/checkers/health_liveness.h"
#include "tests/simulation/checkers/liveness_checker.h"
#include "tests/simulation/checkers/log_model.h"
#include "tests/simulation/checkers/pool_checker.h"
#include "tests/simulation/checkers/reached.h"
#include "tests/simulation/checkers/session_checker.h"
#include "tests/simulation/checkers/store_checker.h"
#include "tests/simulation/checkers/task_checker.h"
#include "tests/simulation/checkers/use_checker.h"
#include "tests/simulation/checkers/violations.h"
#include "tests/simulation/checkers/window_checker.h"
#include "tests/simulation/oracle/call_oracle.h"
#include "tests/simulation/oracle/checker_oracle.h"
#include "tests/simulation/oracle/extraction_oracle.h"
#include "tools/judge/judge.h"

namespace holdfast::simulation {

class Checkers {
 public:
  Checkers();

  void OnEntry(const Entry& entry);

  Violations& violations() { return violations_; }
  Reached& reached() { return reached_; }
  const LogModel& model() const { return model_; }
  const CheckModel& checks() const { return checks_; }
  DurabilityChecker& durability() { return durability_; }
  UseChecker& uses() { return uses_; }
  const LivenessChecker& liveness() const { return liveness_; }
  TaskChecker& tasks() { return tasks_; }
  PoolChecker& pool() { return pool_; }
  ExtractionChecker& extractions() { return extractions_; }
  const StoreChecker& store() const { return store_; }
  const HealthLiveness& health_liveness() const { return health_liveness_; }
  // Hears the wire from the workers' side: updates, answers, checksums, windows by the clock of each session.
  judge::Judge& judge() { return judge_; }

  // That something was judged at all.
  void CountJudged();

 private:
  void Hear(const Entry& entry, const log::v1::Event& event);
  void CountEvent(const log::v1::Event& event);
  void CountEdges(const log::v1::Event& event);
  void CountEdge(std::uint32_t address, const std::string& to);

  Violations violations_;
  Reached reached_;
  LogModel model_;
  CheckModel checks_;
  ExtractionModel extraction_model_;
  DurabilityChecker durability_;
  SessionChecker sessions_;
  WindowChecker windows_;
  DrainChecker drains_;
  CallOracle oracle_;
  UseChecker uses_;
  LivenessChecker liveness_;
  CheckerSessionChecker checker_sessions_;
  TaskChecker tasks_;
  HealthChecker health_;
  PoolChecker pool_;
  GuardChecker guard_;
  HealthLiveness health_liveness_;
  CheckerOracle checker_oracle_;
  ExtractionChecker extractions_;
  ExtractionOracle extraction_oracle_;
  StoreChecker store_;
  judge::Judge judge_;
};

}  // namespace holdfast::simulation
