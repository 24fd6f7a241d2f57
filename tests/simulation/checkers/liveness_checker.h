// What must have come about once nothing goes wrong any more: nothing lapses, drains or is asked for for ever, the pool
// store is usable, every live worker is active and in step, everything that can be placed is placed.
//
// Asked by the simulation in its quiet phase, again and again until it says yes or the bound is over. Thread: one.

#pragma once

#include <map>
#include <string>

#include "tests/simulation/checkers/extraction_model.h"
#include "tests/simulation/checkers/log_model.h"

namespace holdfast::simulation {

class LivenessChecker {
 public:
  LivenessChecker(const LogModel& model, const ExtractionModel& extractions)
      : model_(model), extractions_(extractions) {}

  // versions: of the view that each live worker's process holds, by worker id; workers that are gone are left out.
  // Empty: all is well; else the first thing that has not come about.
  std::string Missing(const std::map<std::string, std::uint64_t>& versions) const;

 private:
  std::string MissingOfWorker(const std::string& worker_id, std::uint64_t version) const;
  // Who could take an address that nobody holds; empty: nobody could, or it is held.
  std::string TakerOf(const ModelAddress& address) const;
  bool CouldTake(const ModelWorker& worker, std::uint32_t key, const ModelAddress& address) const;

  const LogModel& model_;
  const ExtractionModel& extractions_;
};

}  // namespace holdfast::simulation
