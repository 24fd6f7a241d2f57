// An oracle written from contract.md ("Checkers", "Every call, in this order") and health.md: it says of every call of
// a checker, and of every check that an operator asks for, whether it is accepted, or else with which reason it is
// refused.
//
// Called with every committed entry in order, before the models have folded its events. It takes from events which
// session ends when, and reckons sequences and repeats itself. Thread: one. What a report's observations come to:
// checkers/task_checker.h, health_checker.h.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tests/simulation/checkers/check_model.h"
#include "tests/simulation/checkers/entry.h"
#include "tests/simulation/checkers/log_model.h"
#include "tests/simulation/checkers/reached.h"
#include "tests/simulation/checkers/violations.h"

namespace holdfast::simulation {

class CheckerOracle {
 public:
  CheckerOracle(const LogModel& model, const CheckModel& checks, Violations& violations, Reached& reached)
      : model_(model), checks_(checks), violations_(violations), reached_(reached) {}

  void OnEntry(const Entry& entry);

  std::uint64_t predictions() const { return predictions_; }

 private:
  using Reason = std::optional<controlplane::v1::RejectReason>;  // nullopt: accepted
  // A checker as answers depend on it: its latest session, open or over.
  struct Member {
    std::string session_id;
    bool open = false;
    bool draining = false;
    std::deque<std::pair<std::string, admin::v1::CloseReason>> closed;  // the last eight that are over
    std::uint64_t sequence = 0;
    std::string content;  // of the report with that sequence
  };

  Reason Predict(const Entry& entry) const;
  Reason PredictRegister(const controlplane::v1::RegisterCheckerRequest& request) const;
  Reason PredictSession(const std::string& checker_id, const std::string& session_id) const;
  Reason PredictReport(const controlplane::v1::ReportObservationsRequest& request) const;
  Reason PredictCheck(const admin::v1::CheckProxyRequest& request) const;

  void FoldReport(const Entry& entry, bool accepted);
  void FoldEvent(const log::v1::Event& event);
  void Wrong(const Entry& entry, const std::string& what);

  const LogModel& model_;
  const CheckModel& checks_;
  Violations& violations_;
  Reached& reached_;
  std::uint64_t predictions_ = 0;
  std::map<std::string, Member> members_;     // by checker id
  std::map<std::uint32_t, std::string> ids_;  // checker ids by key
};

}  // namespace holdfast::simulation
