// One logical checker of the fleet: SimulatedMember with the faults that only a checker has.
//
// On its loop's thread.

#pragma once

#include <memory>
#include <string>

#include "tools/fleet/checker_process.h"
#include "tools/fleet/simulated_member.h"

namespace holdfast::fleet {

class SimulatedChecker : public SimulatedMember<CheckerProcess> {
 public:
  // `number` counts from 0; its channel is that of member `channel`.
  SimulatedChecker(CheckerEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler, std::size_t number,
                   std::size_t channel);

 private:
  std::unique_ptr<CheckerProcess> MakeProcess(std::uint64_t seed) override;
  void CountFault(const char* name) override { environment_.statistics.CountFault(name); }
  void OnHeavyDraw(std::uint64_t draw) override;
  void ChangePace(const char* name, CheckPace pace);

  CheckerEnvironment& environment_;
  const std::size_t channel_;
  const std::string checker_id_;
};

}  // namespace holdfast::fleet
