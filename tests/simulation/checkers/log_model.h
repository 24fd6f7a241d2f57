// The world as the log tells it, folded by code of its own from the generated events: what the checkers look things up
// in. Checks and health: check_model.h.
//
// Called with every committed event in order; a checker sees an event before it is folded, and after. Thread: one.
// Shares nothing with the projections that it is there to judge. Does not: judge anything itself; an event that refers
// to what it does not know is passed over here and named by a checker.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "holdfast/log/v1/event.pb.h"

namespace holdfast::simulation {

// Of log time: so late may come what a pause of the controller has held up.
inline constexpr std::int64_t kSlack = 120'000'000;

enum class HoldState : std::uint8_t { kUnowned, kGranted, kRevoking, kLapsing, kExtracting, kExtracted };
// Whether a worker has it.
inline bool IsWorkers(HoldState state) { return state != HoldState::kUnowned && state < HoldState::kExtracting; }
std::string HoldStateName(HoldState state);

struct ModelProxy {
  std::uint32_t address = 0;
  std::string proxy_id;
  std::int64_t expires_at = 0;
  bool usable = true;
  admin::v1::PoolState state{};
  std::int64_t usable_until = 0;
  std::uint32_t waits_for = 0;  // the address where its id stood before, and may still be in use; 0: none
};

struct ModelAddress {
  HoldState hold = HoldState::kUnowned;
  std::uint32_t worker = 0;
  std::uint64_t epoch = 0;
  log::v1::LapseCause lapse_cause{};
  bool needs_secret = false;
  std::set<std::uint32_t> proxies;
  std::string text;              // [secret_ref@]host:port
  std::uint64_t extraction = 0;  // EXTRACTING, EXTRACTED: which
};

// A proxy in what a worker was issued last.
struct ShownProxy {
  std::uint32_t address = 0;
  std::int64_t expires_at = 0;
  controlplane::v1::GrantState state{};
};

struct ModelWorker {
  std::string worker_id;
  std::string session_id;
  std::uint64_t epoch = 0;
  controlplane::v1::SessionState state{};
  std::uint64_t stream = 0;
  bool resolves_secrets = false;
  std::uint32_t weight = 0;
  std::uint32_t max_proxies = 0;
  std::int64_t lapse_grace = 0;  // the longest of this instance's sessions
  std::uint64_t last_version = 0;
  std::uint64_t accepted = 0;  // 0: none
  bool fenced = false;
  std::map<std::uint32_t, ShownProxy> content;  // by proxy: what its instance's latest update leaves in place
  std::set<std::uint32_t> deferred;             // addresses whose change the latest update could not carry

  bool open() const {
    return state != controlplane::v1::SESSION_STATE_UNSPECIFIED && state != controlplane::v1::SESSION_STATE_CLOSED;
  }
};

class LogModel {
 public:
  void Apply(const log::v1::Event& event);

  const std::map<std::uint32_t, ModelWorker>& workers() const { return workers_; }
  const std::map<std::uint32_t, ModelProxy>& proxies() const { return proxies_; }
  const std::map<std::uint32_t, ModelAddress>& addresses() const { return addresses_; }
  const log::v1::Settings& settings() const { return settings_; }
  bool waiting() const { return waiting_; }
  bool cordoned(const std::string& worker_id) const { return cordoned_.contains(worker_id); }
  // How many of the addresses that could be placed may stay unplaced.
  std::uint64_t Reserve() const;
  const std::set<std::pair<admin::v1::AlarmKind, std::string>>& alarms() const { return alarms_; }
  bool alarmed(admin::v1::AlarmKind kind, const std::string& subject) const {
    return alarms_.contains({kind, subject});
  }

  const ModelWorker* Worker(std::uint32_t key) const { return Find(workers_, key); }
  const ModelProxy* Proxy(std::uint32_t key) const { return Find(proxies_, key); }
  const ModelAddress* Address(std::uint32_t key) const { return Find(addresses_, key); }

  // Whether this proxy may be given to somebody.
  bool IsFree(const ModelProxy& proxy) const {
    return proxy.usable && proxy.waits_for == 0 && proxy.state == admin::v1::POOL_STATE_AVAILABLE;
  }
  // Whether some proxy that stands there may be given to somebody.
  bool Grantable(const ModelAddress& address) const;
  // Whether some proxy that stands there is still of use to who has it.
  bool Useful(const ModelAddress& address) const;
  // Proxies that a worker is given or is still shown.
  std::uint64_t GrantedProxies(std::uint32_t worker) const;

 private:
  template <class Map>
  static const typename Map::mapped_type* Find(const Map& map, std::uint32_t key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
  }
  void ApplyMember(const log::v1::Event& event);
  void ApplyUpdate(const log::v1::Event& event);
  void ApplyPool(const log::v1::Event& event);
  void ApplyOwnership(const log::v1::Event& event);
  void ApplyDrains(const log::v1::Event& event);
  void ApplyExtraction(const log::v1::Event& event);
  void Open(const log::v1::SessionOpened& opened);
  void Issue(const log::v1::SnapshotIssued& issued);
  void Renew(std::uint32_t proxy, std::int64_t expires_at, std::int64_t usable_until, admin::v1::PoolState revived);

  std::map<std::uint32_t, ModelWorker> workers_;
  std::map<std::uint32_t, ModelProxy> proxies_;
  std::map<std::uint32_t, ModelAddress> addresses_;
  std::set<std::pair<admin::v1::AlarmKind, std::string>> alarms_;
  std::set<std::string> cordoned_;
  log::v1::Settings settings_;
  bool waiting_ = false;
};

}  // namespace holdfast::simulation
