// What is known of each proxy's health: per key its state, the row of passes or failures that it stands on, and what
// was last seen; and which routings the proxy does not serve.
//
//   UNKNOWN ─ pass ─► AVAILABLE ◄─ passes ─ UNHEALTHY
//      └── failure ──►  SUSPECT  ─ failures ──► ▲
//
// Thread: the state's owner. Covers neither what is due (checks.h) nor the guard (guard.h); decides nothing.

#pragma once

#include <absl/container/btree_set.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "events/checker_events.h"
#include "events/health_events.h"
#include "events/pool_events.h"
#include "projections/projection.h"
#include "projections/row_table.h"

namespace holdfast {

struct Evidence {
  Sequence sequence;  // the entry of the observation
  TaskId task;
};

struct KeyHealth {
  HealthState state = HealthState::kUnknown;
  bool passed = false;   // ever
  OutcomePhase phase{};  // of the latest observation that was not INCONCLUSIVE
  OutcomeError error{};
  Verdict verdict{};               // of the latest observation
  std::uint32_t passes = 0;        // in a row
  std::uint32_t failures = 0;      // in a row
  std::uint32_t inconclusive = 0;  // in a row
  LogTime observed_at;             // of the latest that was not INCONCLUSIVE; absent: none
  LogTime looked_at;               // of the latest of any verdict
  Evidence latest;                 // the same; 0: none yet
  Duration latency{};
  std::uint32_t http_status = 0;
  std::vector<Evidence> row;  // the passes or the failures in a row, latest last; as far as a decision may need them
};

// Up, as the guard counts it.
constexpr bool IsUp(const KeyHealth& key) {
  return key.passed && (key.state == HealthState::kAvailable || key.state == HealthState::kSuspect);
}

struct ProxyHealth {
  LogTime since;  // added, or begun anew
  KeyHealth basic;
  KeyHealth egress;
  std::vector<std::pair<RoutingKey, KeyHealth>> targets;  // by key
  Anonymity anonymity{};                                  // at the latest EGRESS observation that saw it
  std::string egress_ip;
  std::vector<RoutingKey> marked;  // routings that it does not serve, ascending by id

  // nullptr: nothing is known of it.
  const KeyHealth* Find(CheckLevel level, RoutingKey routing) const;
};

class Health {
 public:
  static constexpr std::uint32_t kVersion = 2;
  static constexpr std::size_t kMostEvidence = 16;  // of one key

  void Apply(const ProxyAdded& event, const EntryPoint& entry);
  void Apply(const ProxyExpired& event, const EntryPoint& entry);
  void Apply(const ProxyRemoved& event, const EntryPoint& entry);
  void Apply(const ChecksPlanned& event, const EntryPoint& entry);
  void Apply(const CheckObserved& event, const EntryPoint& entry);
  void Apply(const HealthChanged& event, const EntryPoint& entry);
  void Apply(const RoutingsMarked& event, const EntryPoint& entry);
  void Apply(const HealthForgotten& event, const EntryPoint& entry);

  const ProxyHealth& proxy(ProxyKey proxy) const { return proxies_.At(proxy); }
  const RowTable<ProxyKey, ProxyHealth>& proxies() const { return proxies_; }
  // Keys of a level by state; at TARGET those of one routing.
  std::uint64_t count(CheckLevel level, RoutingKey routing, HealthState state) const;
  // Of them those that are up: AVAILABLE or SUSPECT, and have passed before.
  std::uint64_t up(CheckLevel level, RoutingKey routing) const;

  // Whether the proxy has passed its TARGET check for the routing, and serves it; and all that do.
  bool Serves(ProxyKey proxy, RoutingKey routing) const;
  const absl::btree_set<ProxyKey>& serving(RoutingKey routing) const;

  Digest digest() const { return digest_; }

 private:
  struct Counts {
    std::array<std::uint64_t, 5> by_state{};
    std::uint64_t up = 0;
  };
  template <class F>
  void Change(ProxyKey proxy, F&& change);
  void Count(const ProxyHealth& row, std::int64_t sign);
  void NoteServed(ProxyKey proxy, const std::vector<RoutingKey>& before, const std::vector<RoutingKey>& after);

  RowTable<ProxyKey, ProxyHealth> proxies_;
  std::map<std::pair<CheckLevel, RoutingKey>, Counts> counts_;
  std::map<RoutingKey, absl::btree_set<ProxyKey>> serving_;
  Digest digest_;
};

}  // namespace holdfast
