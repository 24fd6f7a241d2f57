// What must have come about for health once nothing goes wrong any more and checkers say what is true: every checker is
// at work, no freeze stays, no task is overdue, and each proxy's pool state and marks are what is true of it.
//
// Asked by the simulation in its quiet phase, again and again until it says yes or the bound is over. Thread: one. Does
// not: ask for what nobody could check, for want of a checker of that level or of one that resolves the secret_ref.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tests/simulation/checkers/check_model.h"
#include "tests/simulation/checkers/log_model.h"
#include "tests/simulation/checkers/true_health.h"

namespace holdfast::simulation {

class HealthLiveness {
 public:
  HealthLiveness(const LogModel& model, const CheckModel& checks) : model_(model), checks_(checks) {}

  // checkers: ids of those that are alive. truths: by proxy id, of all that are in the pool. now_us: log time.
  // Empty: all is well; else the first thing that has not come about.
  std::string Missing(const std::set<std::string>& checkers, const std::map<std::string, TrueHealth>& truths,
                      std::int64_t now_us) const;
  // Within which it must have, after the last fault; microseconds, by the settings in force.
  std::int64_t Bound() const;

 private:
  std::string MissingOfChecker(const std::string& checker_id) const;
  std::string MissingOfFreezes() const;
  std::string MissingOfProxy(const CheckedProxy& proxy, std::uint32_t key, const TrueHealth& truth) const;
  std::string MissingOfTargets(const CheckedProxy& proxy, std::uint32_t key, const TrueHealth& truth) const;
  bool CanBeChecked(controlplane::v1::CheckLevel level, const CheckedProxy& proxy, std::uint32_t by = 0) const;
  admin::v1::PoolState TruePoolState(const CheckedProxy& proxy, std::uint32_t key, const TrueHealth& truth) const;

  const LogModel& model_;
  const CheckModel& checks_;
};

}  // namespace holdfast::simulation
