// Checks and health as the log tells them, folded by code of its own from the generated events: sessions of checkers,
// what each proxy is checked for, tasks under way, results, marks, freezes.
//
// Called with every committed event in order; a checker sees an event before it is folded, and after. Thread: one.
// Shares nothing with the projections that it is there to judge, and judges nothing itself.

#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/simulation/checkers/entry.h"

namespace holdfast::simulation {

// What is checked: a proxy at a level, at TARGET for a routing (else 0).
struct ModelKey {
  std::uint32_t proxy = 0;
  controlplane::v1::CheckLevel level{};
  std::uint32_t routing = 0;
  friend auto operator<=>(const ModelKey&, const ModelKey&) = default;
};
std::string TextOf(const ModelKey& key);

template <class CheckEvent>
ModelKey KeyOf(const CheckEvent& event) {
  return {event.proxy(), event.level(), event.routing()};
}

struct ModelChecker {
  std::string checker_id;
  std::string session_id;
  std::string zone;
  controlplane::v1::SessionState state{};
  std::uint64_t stream = 0;
  std::uint32_t max_concurrency = 0;
  std::uint32_t levels = 0;  // bit n: CheckLevel n
  bool resolves_secrets = false;
  std::set<std::uint64_t> tasks;  // outstanding

  bool open() const {
    return state != controlplane::v1::SESSION_STATE_UNSPECIFIED && state != controlplane::v1::SESSION_STATE_CLOSED;
  }
  bool checks(controlplane::v1::CheckLevel level) const { return (levels >> level & 1u) != 0; }
};

struct ModelTask {
  ModelKey key;
  std::uint32_t checker = 0;
  std::string session_id;
  std::uint32_t target = 0;
  std::int64_t deadline = 0;
  bool outstanding = true;
};

// One key of a proxy.
struct ModelCheck {
  bool planned = true;      // it is checked so; else what was found of it is only remembered
  std::int64_t due_at = 0;  // 0: a task is under way, or it is not checked at present
  std::uint64_t task = 0;   // 0: none
  std::uint32_t tasks = 0;  // how many it has had
  admin::v1::HealthState state = admin::v1::HEALTH_STATE_UNKNOWN;
};

struct CheckedProxy {
  log::v1::StoredProxy spec;
  bool stopped = false;  // it may not be used any more
  std::map<std::pair<controlplane::v1::CheckLevel, std::uint32_t>, ModelCheck> checks;
  controlplane::v1::Anonymity anonymity{};  // as it was seen last; UNSPECIFIED: never
  std::vector<std::string> marked;          // ids of routings that it is said not to serve
};

struct ModelRouting {
  std::uint32_t key = 0;
  log::v1::StoredRouting spec;

  bool TakesLabelsOf(const log::v1::StoredProxy& proxy) const;
};

// What is frozen: a level, at TARGET of a routing; on the word of one checker (0: everybody's).
using ModelFreeze = std::tuple<controlplane::v1::CheckLevel, std::uint32_t, std::uint32_t>;

class CheckModel {
 public:
  void Apply(const Entry& entry, const log::v1::Event& event);

  const std::map<std::uint32_t, ModelChecker>& checkers() const { return checkers_; }
  // nullptr: never seen.
  const ModelChecker* Checker(std::uint32_t key) const { return Find(checkers_, key); }
  const ModelChecker* CheckerOf(const std::string& checker_id) const;
  bool cordoned(const std::string& checker_id) const { return cordoned_.contains(checker_id); }
  // Whether a checker of this level was ever here.
  bool ever(controlplane::v1::CheckLevel level) const { return (levels_seen_ >> level & 1u) != 0; }

  const std::map<std::uint32_t, CheckedProxy>& proxies() const { return proxies_; }
  const CheckedProxy* Proxy(std::uint32_t key) const { return Find(proxies_, key); }
  // nullptr: it is not checked so.
  const ModelCheck* Check(const ModelKey& key) const;
  // Whether anything may be known of it.
  bool Knows(const ModelKey& key) const { return Any(key) != nullptr; }
  admin::v1::HealthState StateOf(const ModelKey& key) const;

  // Of all times. nullptr: never issued.
  const ModelTask* Task(std::uint64_t task) const { return Find(tasks_, task); }
  const std::set<std::uint64_t>& outstanding() const { return outstanding_; }

  // In the order of the list.
  const std::vector<ModelRouting>& routings() const { return routings_; }
  const ModelRouting* Routing(std::uint32_t key) const;
  const ModelRouting* RoutingOf(const std::string& routing_id) const;

  // Since when, log time.
  const std::map<ModelFreeze, std::int64_t>& freezes() const { return freezes_; }
  // Whether a demotion of this key on this checker's word is held: its own scope is frozen, or BASIC is.
  bool IsFrozen(const ModelKey& key, std::uint32_t checker) const {
    return IsScopeFrozen(key.level, key.routing, checker) ||
           IsScopeFrozen(controlplane::v1::CHECK_LEVEL_BASIC, 0, checker);
  }

 private:
  bool IsScopeFrozen(controlplane::v1::CheckLevel level, std::uint32_t routing, std::uint32_t checker) const {
    return freezes_.contains({level, routing, 0}) || freezes_.contains({level, routing, checker});
  }
  template <class Map>
  static const typename Map::mapped_type* Find(const Map& map, typename Map::key_type key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
  }
  void ApplyPool(const Entry& entry, const log::v1::Event& event);
  void ApplyRoutings(const log::v1::RoutingsApplied& applied);
  void ApplyChecker(const log::v1::Event& event);
  void Open(const log::v1::CheckerOpened& opened);
  void ApplyCheck(const Entry& entry, const log::v1::Event& event);
  void Plan(const log::v1::ChecksPlanned& planned);
  void Issue(const log::v1::CheckIssued& issued);
  void EndTask(std::uint64_t task, std::int64_t due_at);
  void ApplyHealth(const Entry& entry, const log::v1::Event& event);
  void Stop(std::uint32_t proxy);
  void Resume(std::uint32_t proxy, std::int64_t at_us);
  const ModelCheck* Any(const ModelKey& key) const;
  ModelCheck* Mutable(const ModelKey& key) { return const_cast<ModelCheck*>(Any(key)); }

  std::map<std::uint32_t, ModelChecker> checkers_;
  std::set<std::string> cordoned_;
  std::uint32_t levels_seen_ = 0;
  std::map<std::uint32_t, CheckedProxy> proxies_;
  std::map<std::uint64_t, ModelTask> tasks_;
  std::set<std::uint64_t> outstanding_;
  std::vector<ModelRouting> routings_;
  std::uint32_t next_routing_ = 1;
  std::map<ModelFreeze, std::int64_t> freezes_;
};

}  // namespace holdfast::simulation
