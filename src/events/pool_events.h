// Events of the pool: proxies, their addresses, routings. Each: written when, meaning of fields, who folds it:
// docs/event_catalog.md.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/endpoint.h"
#include "base/ids.h"
#include "base/log_time.h"
#include "events/boxed.h"
#include "events/vocabulary.h"

namespace holdfast {

// A proxy as the log knows it: normalised, defaults filled in, its times fixed.
struct ProxySpec {
  ProxyId proxy_id;
  Endpoint endpoint;
  std::string secret_ref;
  std::uint32_t capacity = 0;
  LogTime expires_at;
  LogTime usable_until;
  std::map<std::string, std::string> labels;
  std::string zone;
  std::string source;
  friend bool operator==(const ProxySpec&, const ProxySpec&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxy_id);
    field(2, self.endpoint.scheme);
    field(3, self.endpoint.host);
    field(4, self.endpoint.port);
    field(5, self.secret_ref);
    field(6, self.capacity);
    field(7, self.expires_at);
    field(8, self.usable_until);
    field(9, self.labels);
    field(10, self.zone);
    field(11, self.source);
  }
};

struct ProxyAdded {
  static constexpr std::uint32_t kNumber = 60;
  static constexpr std::string_view kName = "proxy_added";
  ProxyKey proxy;
  AddressKey address;
  bool new_address = false;
  Boxed<ProxySpec> spec;
  PoolState state{};
  Sequence import;
  AddressKey waits_for;  // where its id stood before and may still be in use: not given before that is over; 0: none
  friend bool operator==(const ProxyAdded&, const ProxyAdded&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxy);
    field(2, self.address);
    field(3, self.new_address);
    field(4, self.spec);
    field(5, self.state);
    field(6, self.import);
    field(7, self.waits_for);
  }
};

struct ProxyUpdated {
  static constexpr std::uint32_t kNumber = 61;
  static constexpr std::string_view kName = "proxy_updated";
  ProxyKey proxy;
  Boxed<ProxySpec> spec;
  Sequence import;
  PoolState revived{};  // what it becomes where it is EXPIRED
  friend bool operator==(const ProxyUpdated&, const ProxyUpdated&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxy);
    field(2, self.spec);
    field(3, self.import);
    field(4, self.revived);
  }
};

struct ProxiesNamed {
  static constexpr std::uint32_t kNumber = 62;
  static constexpr std::string_view kName = "proxies_named";
  std::vector<ProxyKey> proxies;
  Sequence import;
  LogTime expires_at;  // absent: not renewed
  LogTime usable_until;
  PoolState revived{};  // what one that is EXPIRED becomes, when renewed
  friend bool operator==(const ProxiesNamed&, const ProxiesNamed&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxies);
    field(2, self.import);
    field(3, self.expires_at);
    field(4, self.usable_until);
    field(5, self.revived);
  }
};

struct ProxyUnusable {
  static constexpr std::uint32_t kNumber = 63;
  static constexpr std::string_view kName = "proxy_unusable";
  ProxyKey proxy;
  friend bool operator==(const ProxyUnusable&, const ProxyUnusable&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxy);
  }
};

struct ProxyExpired {
  static constexpr std::uint32_t kNumber = 64;
  static constexpr std::string_view kName = "proxy_expired";
  ProxyKey proxy;
  friend bool operator==(const ProxyExpired&, const ProxyExpired&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxy);
  }
};

struct ProxyRemoved {
  static constexpr std::uint32_t kNumber = 65;
  static constexpr std::string_view kName = "proxy_removed";
  ProxyKey proxy;
  ProxyId proxy_id;
  RemovalReason reason{};
  friend bool operator==(const ProxyRemoved&, const ProxyRemoved&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxy);
    field(2, self.proxy_id);
    field(3, self.reason);
  }
};

struct AddressRetired {
  static constexpr std::uint32_t kNumber = 66;
  static constexpr std::string_view kName = "address_retired";
  AddressKey address;
  friend bool operator==(const AddressRetired&, const AddressRetired&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.address);
  }
};

struct RoutingTarget {
  std::string url;
  std::vector<std::uint32_t> expected_status;
  std::string method;
  Duration timeout{};
  friend bool operator==(const RoutingTarget&, const RoutingTarget&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.url);
    field(2, self.expected_status);
    field(3, self.method);
    field(4, self.timeout);
  }
};

struct RoutingSpec {
  std::string routing_id;
  std::vector<std::string> host_patterns;
  std::vector<std::uint32_t> ports;
  std::map<std::string, std::string> proxy_labels;
  std::vector<std::string> zones;  // of workers that see it; empty: all
  std::vector<RoutingTarget> targets;
  Anonymity min_anonymity{};
  friend bool operator==(const RoutingSpec&, const RoutingSpec&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.routing_id);
    field(2, self.host_patterns);
    field(3, self.ports);
    field(4, self.proxy_labels);
    field(5, self.zones);
    field(6, self.targets);
    field(7, self.min_anonymity);
  }
};

struct RoutingsApplied {
  static constexpr std::uint32_t kNumber = 67;
  static constexpr std::string_view kName = "routings_applied";
  std::uint64_t revision = 0;
  std::vector<RoutingSpec> routings;
  friend bool operator==(const RoutingsApplied&, const RoutingsApplied&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.revision);
    field(2, self.routings);
  }
};

// Removed while its address is held: it leaves with the end of the hold.
struct ProxyLeaving {
  static constexpr std::uint32_t kNumber = 68;
  static constexpr std::string_view kName = "proxy_leaving";
  ProxyKey proxy;
  ProxyId proxy_id;
  RemovalReason reason{};
  friend bool operator==(const ProxyLeaving&, const ProxyLeaving&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxy);
    field(2, self.proxy_id);
    field(3, self.reason);
  }
};

}  // namespace holdfast
