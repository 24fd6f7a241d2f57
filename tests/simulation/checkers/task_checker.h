// Tasks of checkers: at most one for a key, only for what is to be checked, only to who may have it; an observation
// counts only for a task that is outstanding in its session before its deadline; nothing is inherited; every task ends.
// health.md "Tasks", contract.md "Checkers".
//
// Called with every committed entry: before its events, with each of them before the models have folded it, and after
// all of them; also with each message that leaves for a checker and each answer that a checker gets. Thread: one.

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

class TaskChecker {
 public:
  TaskChecker(const LogModel& model, const CheckModel& checks, Violations& violations)
      : model_(model), checks_(checks), violations_(violations) {}

  void BeforeEntry(const Entry& entry);
  void Before(const Entry& entry, const log::v1::Event& event);
  void AfterEntry(const Entry& entry);

  // A message left for a checker.
  void Shown(const std::string& checker_id, const std::string& session_id, const controlplane::v1::TaskUpdate& update);
  // An answer came to a checker.
  void Answered(const controlplane::v1::ReportObservationsRequest& request,
                const controlplane::v1::ReportObservationsResponse& response);

  std::uint64_t observations() const { return observations_; }

 private:
  using TaskIds = std::vector<std::string>;

  void Expect(const Entry& entry);
  void BeforeIssue(const Entry& entry, const log::v1::CheckIssued& issued);
  void JudgeTaker(const Entry& entry, const log::v1::CheckIssued& issued);
  void JudgeTarget(const Entry& entry, const log::v1::CheckIssued& issued);
  void BeforeObserved(const Entry& entry, const log::v1::CheckObserved& observed);
  void BeforeEnd(const Entry& entry, std::uint64_t task, const std::string& how);
  void AfterReport(const Entry& entry, const log::v1::CheckerHeard& heard);
  void JudgeOutstanding(const Entry& entry);
  void Wrong(const Entry& entry, const std::string& what);

  const LogModel& model_;
  const CheckModel& checks_;
  Violations& violations_;
  std::uint64_t last_task_ = 0;
  std::int64_t started_at_ = 0;  // of the controller's run
  // Of the report that is looked at: which of its observations must count, by their place; which events did count.
  std::vector<bool> counts_;
  std::set<std::uint64_t> observed_, cancelled_;
  bool look_at_outstanding_ = false;
  // What the controller said of each report that it took: by session and sequence.
  std::map<std::pair<std::string, std::uint64_t>, TaskIds> ignored_;
  std::uint64_t observations_ = 0;
};

}  // namespace holdfast::simulation
