// What each worker was given: the content of its instance's latest update, the versions issued to its session, the
// accepted reference, the fence, and what has changed since and waits for the next update.
//
// One update is outstanding at a time. A delta is built on the accepted reference: `changes` lists what each update
// since then changed, so a delta costs its own size. The content outlives the session (it is the instance's).
//
// Thread: the state's owner; a built update may be read by any thread (its rows are immutable).
// Covers neither checksums (controller/snapshot_checksum.h computes them, events carry them) nor windows (ownership.h).

#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/health_events.h"
#include "events/ownership_events.h"
#include "events/pool_events.h"
#include "events/run_events.h"
#include "events/session_events.h"
#include "events/snapshot_events.h"
#include "projections/deadline_index.h"
#include "projections/projection.h"
#include "projections/row_table.h"

namespace holdfast {

// One proxy as a worker is shown it. Immutable.
struct Grant {
  Boxed<ProxySpec> spec;
  AddressKey address;
  LogTime expires_at;
  LogTime usable_until;
  GrantState state{};
  Boxed<std::vector<std::string>> unhealthy_routings;  // ascending; null: none
  friend bool operator==(const Grant&, const Grant&) = default;
};

// Upper bound of a grant's size on the wire, bytes.
std::size_t GrantBytes(const Grant& grant);

struct IssuedReference {
  Version version;
  Checksum checksum{};
  LogTime valid_until;
  std::uint64_t routings_revision = 0;
};

struct ContentChange {
  Version version;
  ProxyKey proxy;
  Boxed<ProxySpec> spec;  // its id, also when the proxy is gone
  bool was_listed = false;
};

struct WorkerSnapshots {
  // The instance's content: what its latest issued update left in place.
  absl::btree_map<ProxyKey, Boxed<Grant>> content;
  absl::btree_set<std::pair<AddressKey, ProxyKey>> by_address;
  Checksum content_sum{};
  std::size_t content_bytes = 0;
  Checksum checksum{};
  std::uint64_t routings_revision = 0;
  std::deque<ContentChange> changes;  // since the accepted reference, by version

  // What waits: addresses whose content may differ from what is issued.
  absl::btree_set<AddressKey> dirty_listed;
  absl::btree_set<AddressKey> dirty_new;
  absl::btree_set<AddressKey> deferred;

  // The session.
  Epoch epoch;
  bool open = false;
  bool takes_deltas = false;
  StreamId stream;            // 0: detached
  bool fresh_stream = false;  // nothing issued on it yet
  bool full_needed = true;
  Version first_version;  // of this session; versions from it to last_version were issued to it
  Version last_version;
  std::deque<IssuedReference> issued;  // the latest of this session
  std::optional<IssuedReference> accepted;
  Sequence accepted_by;  // the entry of its acknowledgement
  Version refused;       // the highest version that was refused in this session
  bool fenced = false;
  Version outstanding;  // 0: none
  bool outstanding_full = false;
  bool outstanding_partial = false;
  LogTime issued_at;     // of the latest update; absent: none in this session
  LogTime ack_deadline;  // of the outstanding one
  LogTime fresh_until;   // of its runtime reports
};

// How an update goes out; rows in no particular order.
struct BuiltUpdate {
  Version version, base;  // base 0: full
  Epoch epoch;
  LogTime generated_at, valid_until;
  Checksum checksum{};
  std::vector<Boxed<Grant>> upserted;
  std::vector<Boxed<ProxySpec>> removed;
  bool routings_changed = false;  // a delta carries the whole list
  bool partial = false;
};

class Snapshots {
 public:
  static constexpr std::uint32_t kVersion = 3;

  void Apply(const SettingsChanged& event, const EntryPoint& entry);
  void Apply(const ClockAccepted& event, const EntryPoint& entry);
  void Apply(const SessionOpened& event, const EntryPoint& entry);
  void Apply(const SessionAttached& event, const EntryPoint& entry);
  void Apply(const SessionDetached& event, const EntryPoint& entry);
  void Apply(const SessionClosed& event, const EntryPoint& entry);
  void Apply(const RuntimeAccepted& event, const EntryPoint& entry);
  void Apply(const SnapshotIssued& event, const EntryPoint& entry);
  void Apply(const SnapshotAcknowledged& event, const EntryPoint& entry);
  void Apply(const SnapshotRefused& event, const EntryPoint& entry);
  void Apply(const UpdateAbandoned& event, const EntryPoint& entry);
  void Apply(const ProxyAdded& event, const EntryPoint& entry);
  void Apply(const ProxyUpdated& event, const EntryPoint& entry);
  void Apply(const ProxiesNamed& event, const EntryPoint& entry);
  void Apply(const ProxyUnusable& event, const EntryPoint& entry);
  void Apply(const ProxyExpired& event, const EntryPoint& entry);
  void Apply(const ProxyStateChanged& event, const EntryPoint& entry);
  void Apply(const RoutingsMarked& event, const EntryPoint& entry);
  void Apply(const ProxyLeaving& event, const EntryPoint& entry);
  void Apply(const ProxyRemoved& event, const EntryPoint& entry);
  void Apply(const RoutingsApplied& event, const EntryPoint& entry);
  void Apply(const OwnershipGranted& event, const EntryPoint& entry);
  void Apply(const OwnershipRevoked& event, const EntryPoint& entry);
  void Apply(const OwnershipHeld& event, const EntryPoint& entry);
  void Apply(const OwnershipLapsing& event, const EntryPoint& entry);
  void Apply(const OwnershipResumed& event, const EntryPoint& entry);
  void Apply(const OwnershipReleased& event, const EntryPoint& entry);

  const WorkerSnapshots& At(WorkerKey worker) const { return workers_.At(worker); }
  const RowTable<WorkerKey, WorkerSnapshots>& workers() const { return workers_; }

  // The grant that a proxy would be shown as.
  Grant GrantOf(ProxyKey proxy, GrantState state) const;

  // Workers by when an update is to be issued to them, and by when the outstanding one must have been answered.
  const DeadlineIndex<WorkerKey>& issues() const { return issues_; }
  const DeadlineIndex<WorkerKey>& ack_deadlines() const { return ack_deadlines_; }

  // The outstanding update as it goes out. Requires: one is outstanding.
  BuiltUpdate Build(WorkerKey worker) const;

  Digest digest() const { return digest_; }

 private:
  struct Owner {
    WorkerKey worker;
    bool granted = true;  // false: it lapses, and is not listed any more
  };
  struct ProxyTimes {
    Boxed<ProxySpec> spec;
    AddressKey address;
    LogTime expires_at;
    LogTime usable_until;
    Boxed<std::vector<std::string>> unhealthy_routings = {};
  };
  template <class F>
  void Change(WorkerKey worker, F&& change);
  void MarkAddress(AddressKey address);
  void Mark(WorkerKey worker, AddressKey address);
  void MarkGone(WorkerKey worker, AddressKey address);
  LogTime IssueAt(const WorkerSnapshots& row) const;
  void EndOutstanding(WorkerSnapshots& row) const;
  void List(WorkerSnapshots& row, Version version, ProxyKey proxy, GrantState state);
  void Unlist(WorkerSnapshots& row, Version version, ProxyKey proxy);

  Duration renewal_interval_{}, ack_timeout_{}, runtime_ttl_{};
  std::uint64_t routings_revision_ = 0;
  RowTable<WorkerKey, WorkerSnapshots> workers_;
  RowTable<ProxyKey, ProxyTimes> proxies_;
  RowTable<AddressKey, Owner> owners_;
  DeadlineIndex<WorkerKey> issues_;
  DeadlineIndex<WorkerKey> ack_deadlines_;
  Digest digest_;
};

}  // namespace holdfast
