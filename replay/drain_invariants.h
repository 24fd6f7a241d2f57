// Drains: that what was asked back stays so, and that whatever is said to be proven is proven by the entries that it
// cites. From the events alone, with accounts of its own: shares nothing with the projections or the rules.
//
// What it finds: a revoked address that is shown as usable again, or comes back to its worker; a drain certificate that
// names another update, acknowledgement or report than there was, or a report that does not say zero; a deadline that
// moves to a later time.
//
// Life cycle: handed every event of a log in order, from the first, with the sequence of its entry. Thread: one at a
// time. Cost: an event costs what it names. After a violation it is not to be used further.

#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <string>
#include <vector>

#include "events/pool_events.h"
#include "events/run_events.h"
#include "replay/session_invariants.h"

namespace holdfast::replay {

class DrainInvariants {
 public:
  void Begin(Sequence sequence) { sequence_ = sequence; }

  Violation Check(const SnapshotIssued& event, LogTime at);
  Violation Check(const SnapshotAcknowledged& event, LogTime at);
  Violation Check(const RuntimeAccepted& event, LogTime at);
  Violation Check(const SessionOpened& event, LogTime at);
  Violation Check(const ProxyAdded& event, LogTime at);
  Violation Check(const ProxyRemoved& event, LogTime at);
  Violation Check(const ClockAccepted& event, LogTime at);
  Violation Check(const OwnershipGranted& event, LogTime at);
  Violation Check(const OwnershipRevoked& event, LogTime at);
  Violation Check(const OwnershipLapsing& event, LogTime at);
  Violation Check(const OwnershipResumed& event, LogTime at);
  Violation Check(const OwnershipReleased& event, LogTime at);

 private:
  struct Worker {
    std::uint64_t acknowledged = 0;
    Sequence acknowledged_at, reported_at;
    absl::flat_hash_set<ProxyKey> busy;                // with a counter that is not zero
    absl::flat_hash_map<ProxyKey, GrantState> listed;  // what its latest update left in place
  };
  struct Address {
    std::vector<ProxyKey> proxies;
    WorkerKey owner;
    bool revoked = false;
    LogTime deadline;  // absent: none
    std::uint64_t target = 0;
    Sequence shown_at;
  };

  Violation NoteTarget(const SnapshotIssued& event, const Worker& worker, AddressKey key);
  // Of a drain certificate; empty: nothing.
  std::string WrongWith(const OwnershipReleased& event, const Address& address) const;

  Sequence sequence_;
  absl::flat_hash_map<WorkerKey, Worker> workers_;
  absl::flat_hash_map<AddressKey, Address> addresses_;
  absl::flat_hash_map<ProxyKey, AddressKey> address_of_;
};

}  // namespace holdfast::replay
