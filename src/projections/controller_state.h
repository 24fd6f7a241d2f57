// The whole state of the controller: a fold of the log's events, and of nothing else.
//
// Life cycle: empty, then Apply for every event in order and Passed after each entry.
// Thread: one owner. The sequencer has one, the follower another; neither is ever shared.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "projections/audit.h"
#include "projections/checkers.h"
#include "projections/checks.h"
#include "projections/extractions.h"
#include "projections/guard.h"
#include "projections/health.h"
#include "projections/outcomes.h"
#include "projections/ownership.h"
#include "projections/pool.h"
#include "projections/pool_store.h"
#include "projections/projection_set.h"
#include "projections/routings.h"
#include "projections/run.h"
#include "projections/runtime.h"
#include "projections/sessions.h"
#include "projections/snapshots.h"

namespace holdfast {

class ControllerState {
 public:
  ControllerState();
  ControllerState(ControllerState&&) noexcept;
  ControllerState& operator=(ControllerState&&) noexcept;
  ~ControllerState();

  // Of all projections together: digests are compared only where it is equal.
  static std::uint32_t Version();

  void Apply(const Event& event, const EntryPoint& entry);
  void Passed(const EntryPoint& entry) { projections_.get<Run>().Passed(entry); }

  const Run& run() const { return projections_.get<Run>(); }
  const Settings& settings() const { return run().settings(); }
  const Sessions& sessions() const { return projections_.get<Sessions>(); }
  const Pool& pool() const { return projections_.get<Pool>(); }
  const Ownership& ownership() const { return projections_.get<Ownership>(); }
  const Snapshots& snapshots() const { return projections_.get<Snapshots>(); }
  const Runtime& runtime() const { return projections_.get<Runtime>(); }
  const Outcomes& outcomes() const { return projections_.get<Outcomes>(); }
  const Routings& routings() const { return projections_.get<Routings>(); }
  const Checkers& checkers() const { return projections_.get<Checkers>(); }
  const Checks& checks() const { return projections_.get<Checks>(); }
  const Health& health() const { return projections_.get<Health>(); }
  const Guard& guard() const { return projections_.get<Guard>(); }
  const Extractions& extractions() const { return projections_.get<Extractions>(); }
  const PoolStore& pool_store() const { return projections_.get<PoolStore>(); }
  const Audit& audit() const { return projections_.get<Audit>(); }

  std::vector<OwnershipPeriod> TakeEndedPeriods() { return projections_.get<Audit>().TakeEnded(); }

  // Of all rows of all projections: XXH3-128 over their digests.
  std::array<std::uint8_t, 16> StateDigest() const;

 private:
  ProjectionSet<Run, Sessions, Pool, Ownership, Snapshots, Runtime, Outcomes, Routings, Audit, Checkers, Checks, Health,
                Guard, Extractions, PoolStore>
      projections_;
};

}  // namespace holdfast
