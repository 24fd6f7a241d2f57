// Health: every change follows from evidence of its own, recounted here from the observations and outcomes in the log,
// and nothing that must change stays. health.md "Reducer", "Outcomes".
//
// Called with every committed entry: before its events, with each of them before the models have folded it, and after
// all of them. Thread: one. What follows for the pool: pool_checker.h; what the guard holds: guard_checker.h.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/checkers/check_model.h"
#include "tests/simulation/checkers/entry.h"
#include "tests/simulation/checkers/log_model.h"
#include "tests/simulation/checkers/outcome_account.h"
#include "tests/simulation/checkers/reached.h"
#include "tests/simulation/checkers/violations.h"

namespace holdfast::simulation {

class HealthChecker {
 public:
  HealthChecker(const LogModel& model, const CheckModel& checks, Violations& violations, Reached& reached)
      : model_(model), checks_(checks), violations_(violations), reached_(reached), outcomes_(model, checks) {}

  void BeforeEntry(const Entry& entry);
  void Before(const Entry& entry, const log::v1::Event& event);
  void AfterEntry(const Entry& entry);

  // Whether the key has passed since it is known.
  bool passed(const ModelKey& key) const;
  std::uint64_t changes() const { return changes_; }

 private:
  // The passes or the failures in a row of one key.
  struct Row {
    bool passing = false;
    bool passed = false;                                        // ever
    std::uint64_t count = 0;                                    // as it counts: a failure that is held adds nothing
    std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;  // sequence, task; latest last
  };

  void BeforeObserved(const Entry& entry, const log::v1::CheckObserved& observed);
  void JudgeVerdict(const Entry& entry, const log::v1::CheckObserved& observed);
  bool IsHeld(const log::v1::CheckObserved& observed, const Row& row) const;
  admin::v1::HealthState After(const ModelKey& key, const Row& row) const;
  std::uint64_t Needed(admin::v1::HealthState from, admin::v1::HealthState to) const;
  void BeforeChanged(const Entry& entry, const log::v1::HealthChanged& changed);
  void JudgeEvidence(const Entry& entry, const log::v1::HealthChanged& changed);
  void Forget(const log::v1::Event& event);
  void Wrong(const Entry& entry, const std::string& what);

  const LogModel& model_;
  const CheckModel& checks_;
  Violations& violations_;
  Reached& reached_;
  OutcomeAccount outcomes_;
  std::map<ModelKey, Row> rows_;

  // Of the entry that is looked at.
  std::map<ModelKey, admin::v1::HealthState> expected_;  // of what was observed
  std::set<ModelKey> suspects_;                          // that outcomes make
  std::uint64_t changes_ = 0;
};

}  // namespace holdfast::simulation
