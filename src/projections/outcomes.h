// Outcomes: how far each worker's batches are accepted, and what the latest outcomes of each proxy were: evidence of
// the second rank for the reducer (controller/decide_outcomes.cc). Nothing here changes a proxy.
//
// Thread: the state's owner.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "events/health_events.h"
#include "events/pool_events.h"
#include "events/session_events.h"
#include "events/snapshot_events.h"
#include "projections/projection.h"
#include "projections/row_table.h"

namespace holdfast {

struct OutcomeRow {
  std::uint64_t sequence = 0;  // highest accepted, over all sessions of the worker
  std::uint64_t counted = 0;
  std::uint64_t ignored = 0;
  std::uint64_t dropped_total = 0;  // what its latest session says that it dropped
};

// What one batch said: the latest `count` outcomes, bit n of `failed` set: the n-th latest of them failed.
struct OutcomeSample {
  LogTime at;
  std::uint32_t count = 0;
  std::uint32_t failed = 0;
};

// The latest outcomes of one (proxy, routing), earliest sample first; routing 0: all of the proxy's.
struct OutcomeTrail {
  RoutingKey routing;
  std::vector<OutcomeSample> samples;
};

struct OutcomeTally {
  std::uint32_t count = 0;
  std::uint32_t failed = 0;
};

// Of the latest `most` outcomes that came after `since`.
OutcomeTally TallyOf(const std::vector<OutcomeSample>& samples, LogTime since, std::uint32_t most);

class Outcomes {
 public:
  static constexpr std::uint32_t kVersion = 2;
  static constexpr std::uint32_t kMostKept = 32;  // outcomes of one trail

  void Apply(const SessionOpened& event, const EntryPoint& entry);
  void Apply(const OutcomesAccepted& event, const EntryPoint& entry);
  void Apply(const HealthChanged& event, const EntryPoint& entry);
  void Apply(const ProxyRemoved& event, const EntryPoint& entry);

  const OutcomeRow& At(WorkerKey worker) const { return workers_.At(worker); }
  // nullptr: none.
  const OutcomeTrail* Trail(ProxyKey proxy, RoutingKey routing) const;
  Digest digest() const { return digest_; }

 private:
  RowTable<WorkerKey, OutcomeRow> workers_;
  RowTable<ProxyKey, std::vector<OutcomeTrail>> trails_;
  Digest digest_;
};

}  // namespace holdfast
