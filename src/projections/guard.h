// The guard's memory: what checkers said lately, who was demoted lately and on whose word, and what is frozen.
//
// A scope is what is judged together: the pool at BASIC and at EGRESS, one routing at TARGET. Demotions are kept one by
// one for the length of its window: the guard's, or its level's interval where that is longer, in which every key is
// looked at once. Verdicts on what was up are summed in slices of a twelfth of the guard's window.
//
// Thread: the state's owner. Decides nothing: the rules say what freezes and what lifts (controller/health_guard.h).

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "events/checker_events.h"
#include "events/health_events.h"
#include "events/pool_events.h"
#include "events/run_events.h"
#include "projections/checks.h"
#include "projections/projection.h"

namespace holdfast {

struct GuardScope {
  CheckLevel level{};
  RoutingKey routing;  // TARGET; else 0
  friend auto operator<=>(const GuardScope&, const GuardScope&) = default;
};

struct VerdictCount {
  std::uint64_t passes = 0;
  std::uint64_t failures = 0;
  std::uint64_t first_failures = 0;  // of them: the first in a row

  VerdictCount& operator+=(const VerdictCount& other) {
    passes += other.passes;
    failures += other.failures;
    first_failures += other.first_failures;
    return *this;
  }
};

struct Demotion {
  LogTime at;
  CheckerKey checker;
  CheckKey key;
};

struct Freeze {
  GuardScope scope;
  CheckerKey checker;  // 0: everybody's word
  friend auto operator<=>(const Freeze&, const Freeze&) = default;
};

struct FreezeRow {
  LogTime since;
  std::vector<CheckKey> demoted;  // within the window before it, latest last: looked at first when it is lifted
};

class Guard {
 public:
  static constexpr std::uint32_t kVersion = 2;
  static constexpr std::size_t kSlices = 12;
  static constexpr std::size_t kMostHastened = 4096;

  void Apply(const SettingsChanged& event, const EntryPoint& entry);
  void Apply(const CheckObserved& event, const EntryPoint& entry);
  void Apply(const HealthChanged& event, const EntryPoint& entry);
  void Apply(const HealthFrozen& event, const EntryPoint& entry);
  void Apply(const HealthThawed& event, const EntryPoint& entry);

  // What a checker said of what was up in a scope, in the slice of `now` and in those that began within `lately` before
  // it. At most the guard's window.
  VerdictCount Said(const GuardScope& scope, CheckerKey checker, LogTime now, Duration lately) const;
  // Checkers that were heard of on a scope lately, ascending.
  std::vector<CheckerKey> Heard(const GuardScope& scope) const;
  // How many were demoted within the window before `now`, by checker.
  std::map<CheckerKey, std::uint64_t> Demoted(const GuardScope& scope, LogTime now) const;
  const std::map<Freeze, FreezeRow>& freezes() const { return freezes_; }
  // INCONCLUSIVE is all that is said of a level since then; absent: it is not so.
  LogTime inconclusive_since(CheckLevel level) const { return inconclusive_since_[static_cast<std::size_t>(level)]; }

  Digest digest() const { return digest_; }

 private:
  struct Slice {
    std::int64_t number = 0;  // of its length since 1970
    VerdictCount said;
  };
  struct Voice {
    GuardScope scope;
    CheckerKey checker;
    friend auto operator<=>(const Voice&, const Voice&) = default;
  };
  using Slices = std::array<Slice, kSlices>;
  struct Lately {
    std::deque<Demotion> demotions;
    std::map<CheckerKey, std::uint64_t> by_checker;  // of them
  };
  static Digest HashOf(const Voice& voice, const Slices& slices);
  static Digest HashOf(const GuardScope& scope, const Demotion& demotion);
  static Digest HashOf(const Freeze& freeze, const FreezeRow& row);
  static Digest HashOf(CheckLevel level, LogTime inconclusive_since);
  Duration WindowOf(const GuardScope& scope) const { return windows_[static_cast<std::size_t>(scope.level)]; }
  std::int64_t SliceOf(LogTime time) const;
  void Demote(const GuardScope& scope, CheckerKey checker, ProxyKey proxy, LogTime at);

  std::array<Duration, 4> windows_{};  // by level
  Duration slice_{};
  std::map<Voice, Slices> voices_;
  std::map<GuardScope, Lately> demotions_;
  std::map<Freeze, FreezeRow> freezes_;
  std::array<LogTime, 4> inconclusive_since_{};
  Digest digest_;
};

}  // namespace holdfast
