// What follows from health, in the same decision: each proxy's pool state, the routings that it is said not to serve,
// what its owner keeps, and what workers are shown of it. health.md "Reducer".
//
// Called with every committed event before the models have folded it, after each entry, and with each update that
// leaves for a worker. Thread: one. Whether health itself is right: health_checker.h.

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
#include "tests/simulation/checkers/violations.h"

namespace holdfast::simulation {

class PoolChecker {
 public:
  PoolChecker(const LogModel& model, const CheckModel& checks, Violations& violations)
      : model_(model), checks_(checks), violations_(violations) {}

  void BeforeEntry();
  void Before(const Entry& entry, const log::v1::Event& event);
  void AfterEntry(const Entry& entry);
  // An update left for a worker.
  void Shown(const std::string& worker_id, const controlplane::v1::SnapshotUpdate& update);

 private:
  using Marks = std::map<std::string, std::vector<std::string>>;  // by proxy id

  void NoteTrust(const log::v1::Event& event);
  void NoteHolds(const log::v1::Event& event);
  void NoteMarks(const log::v1::Event& event);
  void JudgeState(const Entry& entry, std::uint32_t proxy);
  void JudgeMarks(const Entry& entry, std::uint32_t proxy);
  void JudgeHolds(const Entry& entry);
  bool IsKept(const ModelAddress& address) const;
  void JudgeIssue(const Entry& entry, const log::v1::SnapshotIssued& issued);
  void Wrong(const Entry& entry, const std::string& what);

  const LogModel& model_;
  const CheckModel& checks_;
  Violations& violations_;
  std::set<std::uint32_t> trusted_;  // proxies that may be used though nobody has checked them

  // Of the entry that is looked at: whose state, marks and hold are to be judged; who turned UNHEALTHY.
  std::set<std::uint32_t> states_due_, marks_due_, holds_due_, demoted_;

  // By worker and version: what it is shown not to serve.
  std::map<std::pair<std::string, std::uint64_t>, Marks> marks_shown_;
};

}  // namespace holdfast::simulation
