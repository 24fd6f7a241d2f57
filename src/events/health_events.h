// Events of health: what the reducer decided. Each: written when, meaning of fields, who folds it:
// docs/event_catalog.md.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "events/vocabulary.h"

namespace holdfast {

// The reducer's decision on one key.
struct HealthChanged {
  static constexpr std::uint32_t kNumber = 120;
  static constexpr std::string_view kName = "health_changed";
  ProxyKey proxy;
  CheckLevel level{};
  RoutingKey routing;  // TARGET; else 0
  HealthState state{};
  CheckerKey checker;              // whose observation decided it; 0: outcomes
  std::vector<Sequence> evidence;  // entries that it follows from, earliest first
  std::vector<TaskId> tasks;       // of the observations; empty: outcomes
  bool weighed = false;            // by the guard: what was up turns UNHEALTHY
  friend bool operator==(const HealthChanged&, const HealthChanged&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxy);
    field(2, self.level);
    field(3, self.routing);
    field(4, self.state);
    field(5, self.checker);
    field(6, self.evidence);
    field(7, self.tasks);
    field(8, self.weighed);
  }
};

// What the pool makes of it.
struct ProxyStateChanged {
  static constexpr std::uint32_t kNumber = 121;
  static constexpr std::string_view kName = "proxy_state_changed";
  ProxyKey proxy;
  PoolState state{};
  CheckLevel level{};  // whose change it follows from
  CheckerKey checker;  // 0: outcomes
  friend bool operator==(const ProxyStateChanged&, const ProxyStateChanged&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxy);
    field(2, self.state);
    field(3, self.level);
    field(4, self.checker);
  }
};

// The routings that a proxy does not serve: their TARGET check fails through it, or it gives away more than they allow.
struct RoutingsMarked {
  static constexpr std::uint32_t kNumber = 122;
  static constexpr std::string_view kName = "routings_marked";
  ProxyKey proxy;
  std::vector<RoutingKey> routings;      // ascending by id
  std::vector<std::string> routing_ids;  // the same
  friend bool operator==(const RoutingsMarked&, const RoutingsMarked&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxy);
    field(2, self.routings);
    field(3, self.routing_ids);
  }
};

// So many would turn UNHEALTHY at once that the checks are suspected: SUSPECT is the floor until it is lifted.
struct HealthFrozen {
  static constexpr std::uint32_t kNumber = 123;
  static constexpr std::string_view kName = "health_frozen";
  CheckLevel level{};
  RoutingKey routing;  // TARGET; else 0
  CheckerKey checker;  // on whose word alone; 0: everybody's
  // So many have turned UNHEALTHY within the window, or would have, of those that were up at its start; or so many have
  // failed, of those that were looked at meanwhile.
  std::uint64_t demoted = 0;
  std::uint64_t of = 0;
  friend bool operator==(const HealthFrozen&, const HealthFrozen&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.level);
    field(2, self.routing);
    field(3, self.checker);
    field(4, self.demoted);
    field(5, self.of);
  }
};

struct HealthThawed {
  static constexpr std::uint32_t kNumber = 124;
  static constexpr std::string_view kName = "health_thawed";
  CheckLevel level{};
  RoutingKey routing;
  CheckerKey checker;
  friend bool operator==(const HealthThawed&, const HealthThawed&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.level);
    field(2, self.routing);
    field(3, self.checker);
  }
};

// What these proxies' BASIC checks have said counts no more: they come back from a client.
struct HealthForgotten {
  static constexpr std::uint32_t kNumber = 125;
  static constexpr std::string_view kName = "health_forgotten";
  std::vector<ProxyKey> proxies;
  friend bool operator==(const HealthForgotten&, const HealthForgotten&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxies);
  }
};

}  // namespace holdfast
