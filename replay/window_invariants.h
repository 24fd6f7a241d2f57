// Windows: until when which process may still be using which address, from the events alone. It keeps, per instance,
// the content that it was shown, and computes each window from that: what the worker knows bounds what it may do.
// Clients are holders as well, from the intent on: window_clients.cc.
//
// What it finds: two windows of one address of different instances that overlap; a grant of an address that somebody
// holds or may still use, or during a wait; a release before the window is over; an update that still lists what was
// taken away. Shares nothing with the projections or the rules, since it judges them.
//
// Life cycle: handed every event of a log in order, from the first. Thread: one at a time. Cost: an update costs what
// it changes. After a violation it is not to be used further.

#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "events/extraction_events.h"
#include "events/pool_events.h"
#include "events/run_events.h"
#include "replay/session_invariants.h"

namespace holdfast::replay {

class WindowInvariants {
 public:
  Violation Check(const ControllerStarted& event, LogTime at);
  Violation Check(const ClockAccepted& event, LogTime at);
  Violation Check(const WaitStarted& event, LogTime at);
  Violation Check(const WaitEnded& event, LogTime at);
  Violation Check(const SessionOpened& event, LogTime at);
  Violation Check(const SnapshotIssued& event, LogTime at);
  Violation Check(const ProxyAdded& event, LogTime at);
  Violation Check(const ProxyUpdated& event, LogTime at);
  Violation Check(const ProxiesNamed& event, LogTime at);
  Violation Check(const ProxyUnusable& event, LogTime at);
  Violation Check(const ProxyExpired& event, LogTime at);
  Violation Check(const ProxyRemoved& event, LogTime at);
  Violation Check(const AddressRetired& event, LogTime at);
  Violation Check(const OwnershipGranted& event, LogTime at);
  Violation Check(const OwnershipLapsing& event, LogTime at);
  Violation Check(const OwnershipResumed& event, LogTime at);
  Violation Check(const OwnershipReleased& event, LogTime at);
  Violation Check(const ExtractionPrepared& event, LogTime at);
  Violation Check(const ProxiesExtracted& event, LogTime at);
  Violation Check(const ExtractionGivenBack& event, LogTime at);
  Violation Check(const ExtractionEnded& event, LogTime at);

 private:
  using Micros = std::int64_t;

  struct Proxy {
    AddressKey address;
    Micros expires_at = 0;
  };
  // One instance's time with one address.
  struct Window {
    WorkerKey worker;
    std::uint64_t epoch = 0;
    Micros fixed_until = 0;                                      // of updates whose content no longer says so
    absl::InlinedVector<std::pair<ProxyKey, Micros>, 1> listed;  // by the content now, with expires_at as shown
    Micros given_back_until = 0;  // of updates before a proven release: counts again once it is listed again
  };
  struct Address {
    std::uint32_t proxies = 0;  // that stand on it
    bool retired = false;       // gone from the pool, but some content still lists it
    bool granted = false;       // false with an owner: lapsing
    WorkerKey owner;            // 0: nobody
    std::uint64_t epoch = 0;
    std::string client;  // that asks for it or has it; empty: none
    absl::InlinedVector<Window, 1> windows;
  };
  struct Instance {
    std::string worker_id;
    std::uint64_t epoch = 0;
    Micros grace = 0;
    Micros latest_valid_until = 0;
    std::uint32_t strays = 0;  // addresses that its content lists and that are not granted to it
    absl::flat_hash_map<ProxyKey, AddressKey> content;  // what it may use; held back ones are left out
  };

  Micros End(const Window& window) const;
  bool IsStray(const Address& address, const Window& window) const;
  // Changes an address; keeps the instances' count of strays.
  template <class F>
  void Change(Address& address, F&& change);
  Window& WindowOf(Address& address, WorkerKey worker, std::uint64_t epoch);
  void Unlist(WorkerKey worker, Instance& instance, ProxyKey proxy);
  void List(WorkerKey worker, Instance& instance, ProxyKey proxy, const Proxy& row);
  Violation CheckListed(const SnapshotIssued& event, const Instance& instance, LogTime at);
  // Whether some window of another instance than this is still open.
  const Window* OpenWindowOfOthers(const Address& address, WorkerKey worker, std::uint64_t epoch, LogTime at) const;
  Violation Overlap(AddressKey key, const Window& window, WorkerKey worker) const;
  const std::string& NameOf(WorkerKey worker) const;
  void Return(const std::vector<AddressKey>& addresses);

  absl::flat_hash_map<ProxyKey, Proxy> proxies_;
  absl::flat_hash_map<AddressKey, Address> addresses_;
  absl::flat_hash_map<WorkerKey, Instance> instances_;
  bool waiting_ = false;
};

}  // namespace holdfast::replay
