// The guard: within any window at most a share (or fewer than the minimum) of what was up turns UNHEALTHY, none of it
// does while most of what is looked at begins to fail or while it is frozen, and nothing is frozen without cause.
// health.md "The guard", docs/decisions/0018.
//
// Called with every committed event before the models have folded it. Thread: one. Up is what has passed before and is
// AVAILABLE or SUSPECT.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "tests/simulation/checkers/check_model.h"
#include "tests/simulation/checkers/entry.h"
#include "tests/simulation/checkers/health_checker.h"
#include "tests/simulation/checkers/log_model.h"
#include "tests/simulation/checkers/reached.h"
#include "tests/simulation/checkers/violations.h"

namespace holdfast::simulation {

class GuardChecker {
 public:
  GuardChecker(const LogModel& model, const CheckModel& checks, const HealthChecker& health, Violations& violations,
               Reached& reached)
      : model_(model), checks_(checks), health_(health), violations_(violations), reached_(reached) {}

  void Before(const Entry& entry, const log::v1::Event& event);

 private:
  struct Demotion {
    std::int64_t at_us = 0;
    ModelKey key;
    std::uint32_t checker = 0;
  };

  // A conclusive verdict on what was up.
  struct Look {
    std::int64_t at_us = 0;
    controlplane::v1::CheckLevel level{};
    std::uint32_t routing = 0, checker = 0;
    bool passed = false, first = false;  // first: a failure that begins a row
  };
  struct Begun {
    std::uint64_t failing = 0, passing = 0;
  };

  void BeforeObserved(const Entry& entry, const log::v1::CheckObserved& observed);
  void BeforeSettings(const Entry& entry, const log::v1::Settings& settings);
  // What was looked at of what is judged together with `key`, so many slices back; by one checker, or by the others
  // (not `by`).
  Begun Lately(const ModelKey& key, std::uint32_t checker, bool by, std::int64_t now_us, std::int64_t slices) const;
  bool IsSuspectBy(const Begun& its, const Begun& others, bool alone) const;
  bool IsMost(const Begun& begun) const;
  // Whether the checks are suspect by that: of one checker, or (0) of all.
  bool IsSuspect(const ModelKey& key, std::uint32_t checker, std::int64_t now_us, std::uint64_t more) const;
  void BeforeChanged(const Entry& entry, const log::v1::HealthChanged& changed);
  void BeforeFrozen(const Entry& entry, const log::v1::HealthFrozen& frozen);
  void BeforeThawed(const Entry& entry, const log::v1::HealthThawed& thawed);
  bool IsUp(const ModelKey& key) const;
  // Whether its turning UNHEALTHY takes something from who has it, so that it counts.
  bool Counts(const ModelKey& key) const;
  std::int64_t WindowOf(controlplane::v1::CheckLevel level) const;
  // Of what is judged together with `key` (the pool, or a routing): demotions within the window of their level before
  // now, at every level; on one checker's word, at this level.
  std::uint64_t DemotedLately(const ModelKey& key, std::int64_t now_us) const;
  std::uint64_t DemotedBy(const ModelKey& key, std::uint32_t checker, std::int64_t now_us) const;
  // How many were up at the start of the window: BASIC of the pool, or TARGET of a routing.
  std::uint64_t WereUp(const ModelKey& key, std::int64_t now_us) const;
  bool IsOverShare(std::uint64_t demoted, std::uint64_t of) const;
  void Wrong(const Entry& entry, const std::string& what);

  const LogModel& model_;
  const CheckModel& checks_;
  const HealthChecker& health_;
  Violations& violations_;
  Reached& reached_;
  std::deque<Demotion> demotions_;  // that count, latest last
  std::deque<Look> looks_;          // within the guard's window, latest last
};

}  // namespace holdfast::simulation
