// What workers' outcomes say of each proxy lately, reckoned anew from the batches in the log: health.md "Outcomes".
//
// Called by the health checker with each batch that counts. Thread: one. What has made a key SUSPECT is spent.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/simulation/checkers/check_model.h"
#include "tests/simulation/checkers/entry.h"
#include "tests/simulation/checkers/log_model.h"

namespace holdfast::simulation {

class OutcomeAccount {
 public:
  OutcomeAccount(const LogModel& model, const CheckModel& checks) : model_(model), checks_(checks) {}

  // The keys that become SUSPECT by this batch, as it stands before it is decided. Requires: it counts.
  std::set<ModelKey> Take(const Entry& entry);
  void Forget(std::uint32_t proxy);

 private:
  struct Seen {
    std::int64_t at_us = 0;
    bool failed = false;
  };
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // proxy, routing (0: all of its outcomes)

  void Note(const controlplane::v1::Outcome& outcome, std::uint32_t proxy, std::int64_t at_us, std::set<Place>& failed);
  void Add(const Place& place, bool failed, const controlplane::v1::Outcome& outcome, std::int64_t at_us);
  bool Fails(const Place& place, std::int64_t now_us) const;

  const LogModel& model_;
  const CheckModel& checks_;
  std::map<Place, std::deque<Seen>> lately_;  // latest last
};

}  // namespace holdfast::simulation
