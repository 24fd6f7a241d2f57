// Who holds which address, by which instance, and until when that process may still be using it.
//
//   UNOWNED ─ granted ─► GRANTED ─ revoked ─► REVOKING ─ proven zero ─► UNOWNED
//                         │    ▲                 │ deadline, session over
//                         │    └─ resumed ─┐     ▼
//                         └─ session over ─► LAPSING ─ window over ─► UNOWNED (and at once GRANTED to who is shown it
//                         HELD)
//   UNOWNED ─ prepared ─► EXTRACTING ─ moved ─► EXTRACTED ─ given back, ended ─► UNOWNED (extractions.h has the rest)
//
// Windows: an update extends, for every address that the content after it holds, the window of the instance to
// min(valid_until, latest expires_at) + lapse_grace. Kept per instance (the latest valid_until) and per address
// (whether the latest update's content holds it), so that a renewal costs O(1).
//
// Thread: the state's owner. Covers neither what a worker was shown in detail (snapshots.h) nor proxies' own data
// (pool.h).

#pragma once

#include <absl/container/btree_set.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "events/extraction_events.h"
#include "events/health_events.h"
#include "events/ownership_events.h"
#include "events/pool_events.h"
#include "events/run_events.h"
#include "events/session_events.h"
#include "events/snapshot_events.h"
#include "projections/deadline_index.h"
#include "projections/offer_index.h"
#include "projections/projection.h"
#include "projections/row_table.h"
#include "projections/text_index.h"

namespace holdfast {

// What ownership needs to know of a proxy.
struct ProxyBrief {
  ProxyKey proxy;
  PoolState state{};
  bool usable = true;
  LogTime expires_at;
  bool leaving = false;  // removed; it stands until the hold is over
  AddressKey waits_for;  // where its id stood before and may still be in use; 0: nowhere
  LogTime usable_until;
  Boxed<ProxySpec> spec;  // its times are those of the import

  // To who holds its address.
  bool of_use() const { return usable && !leaving && (state == PoolState::kAvailable || state == PoolState::kSuspect); }
  // To who does not hold it yet.
  bool grantable() const { return usable && !leaving && waits_for.value() == 0 && state == PoolState::kAvailable; }
};

struct HoldRow {
  OwnershipState state = OwnershipState::kUnowned;
  WorkerKey owner;           // 0: no worker
  ExtractionKey extraction;  // EXTRACTING, EXTRACTED; else 0
  Epoch epoch;
  bool shown = false;      // the content of the instance's latest update holds it: its window moves with the instance's
  LogTime window_floor;    // the latest of its windows that does not move any more
  bool was_shown = false;  // by any update to this instance
  LapseCause lapse_cause{};
  RevokeReason revoke_reason{};
  Version drain_target;     // the first update that shows it DRAINING; 0: not yet
  Sequence drain_shown_at;  // the entry of that update
  LogTime drain_deadline;   // absent: none, or not REVOKING
  WorkerKey last_owner;     // for sticky placement; 0 after it was taken to be placed elsewhere
  bool needs_secret = false;
  std::vector<ProxyBrief> proxies;
  std::vector<ProxyId> moved_ids;    // that stood here when their endpoint changed: in use here by them, perhaps
  std::vector<ProxyKey> awaited_by;  // the proxies of these ids now, where they are in the pool

  bool grantable() const;  // some proxy on it may be used now
  bool revoked() const { return state == OwnershipState::kRevoking || lapse_cause == LapseCause::kRevoked; }
};

// A worker as a holder: its current instance and session.
struct HolderRow {
  WorkerId worker_id;
  SessionId session_id;
  Epoch epoch;
  std::uint32_t weight = 0;
  std::uint32_t max_proxies = 0;
  bool takes_secrets = false;
  SessionState state{};
  bool attached = false;
  bool fenced = false;
  bool oversize = false;     // its snapshot is as large as it can take
  bool mute = false;         // it gave no positive answer for drain_grace
  bool conflict = false;     // two processes of it are alive
  bool eligible = true;      // not cordoned
  bool unproven = false;     // since it began to drain something of it ended, or went on, without a proof
  LogTime unanswered_since;  // the first update after its last positive answer, over all its sessions; absent: none
  Duration lapse_grace{};
  LogTime latest_valid_until;  // issued to this instance
  LogTime window_until;        // when the last of the windows that move with it is over
  LogTime given_back_until;    // the latest window that this instance had where it gave back by a proof
  absl::btree_set<AddressKey> owned;
  absl::btree_set<AddressKey> revoking;  // of them
  std::uint32_t granted_addresses = 0;
  std::uint32_t granted_proxies = 0;  // GRANTED or REVOKING: what max_proxies bounds
  std::uint32_t shown_addresses = 0;  // whose windows move with the instance's

  bool takes_grants() const {
    return is_member() && attached && !fenced && !oversize && !mute && granted_proxies < max_proxies;
  }
  // Whether it has a share of the pool.
  bool is_member() const { return state == SessionState::kActive && eligible && !conflict && weight > 0; }
};

// Orders holders by load: owned / weight, ties by id.
struct Load {
  std::uint32_t owned = 0;
  std::uint32_t weight = 0;
  std::string id;
  WorkerKey worker;

  friend bool operator<(const Load& a, const Load& b) {
    const std::uint64_t left = std::uint64_t{a.owned} * b.weight;
    const std::uint64_t right = std::uint64_t{b.owned} * a.weight;
    return left != right ? left < right : a.id < b.id;
  }
};

class Ownership {
 public:
  static constexpr std::uint32_t kVersion = 4;
  static constexpr std::size_t kPoolStates = 7, kOwnershipStates = 7, kRevokeReasons = 10;

  void Apply(const ControllerStarted& event, const EntryPoint& entry);
  void Apply(const ClockAccepted& event, const EntryPoint& entry);
  void Apply(const HoldOffStarted& event, const EntryPoint& entry);
  void Apply(const AlarmRaised& event, const EntryPoint& entry);
  void Apply(const AlarmCleared& event, const EntryPoint& entry);
  void Apply(const SessionOpened& event, const EntryPoint& entry);
  void Apply(const SessionActivated& event, const EntryPoint& entry);
  void Apply(const SessionAttached& event, const EntryPoint& entry);
  void Apply(const SessionDetached& event, const EntryPoint& entry);
  void Apply(const SessionDraining& event, const EntryPoint& entry);
  void Apply(const SessionClosed& event, const EntryPoint& entry);
  void Apply(const EligibilitySet& event, const EntryPoint& entry);
  void Apply(const SnapshotIssued& event, const EntryPoint& entry);
  void Apply(const SnapshotAcknowledged& event, const EntryPoint& entry);
  void Apply(const SnapshotRefused& event, const EntryPoint& entry);
  void Apply(const ProxyAdded& event, const EntryPoint& entry);
  void Apply(const ProxyUpdated& event, const EntryPoint& entry);
  void Apply(const ProxiesNamed& event, const EntryPoint& entry);
  void Apply(const ProxyUnusable& event, const EntryPoint& entry);
  void Apply(const ProxyExpired& event, const EntryPoint& entry);
  void Apply(const ProxyStateChanged& event, const EntryPoint& entry);
  void Apply(const ProxyRemoved& event, const EntryPoint& entry);
  void Apply(const ProxyLeaving& event, const EntryPoint& entry);
  void Apply(const AddressRetired& event, const EntryPoint& entry);
  void Apply(const OwnershipGranted& event, const EntryPoint& entry);
  void Apply(const OwnershipRevoked& event, const EntryPoint& entry);
  void Apply(const OwnershipLapsing& event, const EntryPoint& entry);
  void Apply(const OwnershipResumed& event, const EntryPoint& entry);
  void Apply(const OwnershipReleased& event, const EntryPoint& entry);
  void Apply(const ExtractionPrepared& event, const EntryPoint& entry);
  void Apply(const ProxiesExtracted& event, const EntryPoint& entry);
  void Apply(const ExtractionGivenBack& event, const EntryPoint& entry);
  void Apply(const ExtractionEnded& event, const EntryPoint& entry);

  // The address that an id stood on, and that may still be in use by it there; 0: none.
  AddressKey moved_from(std::string_view proxy_id) const {
    const auto found = moved_.find(proxy_id);
    return found == moved_.end() ? AddressKey() : found->second;
  }
  const HoldRow& hold(AddressKey address) const { return holds_.At(address); }
  const HolderRow& holder(WorkerKey worker) const { return holders_.At(worker); }
  // The latest of the windows of an address; absent: unowned.
  LogTime OwnedUntil(AddressKey address) const { return OwnedUntil(holds_.At(address)); }

  // Addresses that wait for an owner: without and with a secret_ref.
  const absl::btree_set<AddressKey>& placeable(bool needs_secret) const { return placeable_[needs_secret]; }
  // The same, as clients choose among them.
  const OfferIndex& offers() const { return offers_; }
  // Holders that may be given more, by load; those that resolve secrets in a set of their own as well.
  const absl::btree_set<Load>& candidates(bool needs_secret) const { return candidates_[needs_secret]; }

  // Single addresses by the end of their window, and holders by the end of the windows that move with them.
  const DeadlineIndex<AddressKey>& lapses() const { return lapses_; }
  const DeadlineIndex<WorkerKey>& holder_windows() const { return holder_windows_; }
  // Holders that something is granted to, by since when they gave no positive answer.
  const DeadlineIndex<WorkerKey>& unanswered() const { return unanswered_; }
  // REVOKING addresses by the deadline of their drain.
  const DeadlineIndex<AddressKey>& drain_deadlines() const { return drain_deadlines_; }
  std::uint64_t revoking_for(RevokeReason reason) const { return revoking_[static_cast<std::size_t>(reason)]; }

  // Members that have a share of the pool, by load; what they carry and weigh together.
  const absl::btree_set<Load>& members() const { return members_; }
  std::uint64_t member_addresses() const { return member_addresses_; }
  std::uint64_t member_weight() const { return member_weight_; }

  // Addresses that may be used now, and those of them that nobody holds.
  std::uint64_t grantable_addresses() const { return grantable_addresses_; }
  std::uint64_t placeable_addresses() const { return placeable_[0].size() + placeable_[1].size(); }

  bool is_cordoned(std::string_view worker_id) const { return cordoned_.find(worker_id) != cordoned_.end(); }

  bool anything_held() const { return held_addresses_ > 0; }
  // Proxies by (pool state, ownership state).
  std::uint64_t count(PoolState pool, OwnershipState ownership) const {
    return counts_[static_cast<std::size_t>(pool)][static_cast<std::size_t>(ownership)];
  }

  Digest digest() const { return digest_; }

 private:
  template <class F>
  void ChangeHold(AddressKey address, F&& change);
  template <class F>
  void ChangeHolder(WorkerKey worker, F&& change);
  template <class F>
  void ChangeBrief(ProxyKey proxy, F&& change);
  void StopWaiting(ProxyKey proxy);
  void AwaitRelease(ProxyKey proxy, const ProxyId& id, AddressKey address);
  void IndexHold(AddressKey address, const HoldRow& row, int sign);
  void IndexHolder(WorkerKey worker, const HolderRow& row, bool present);
  void IndexOffer(AddressKey address, const HoldRow& row, bool present);
  void CountHeld(const HoldRow& row, int sign);
  void Extract(const std::vector<AddressKey>& addresses, ExtractionKey extraction, OwnershipState from,
               OwnershipState to);
  void ApplyAlarm(AlarmKind kind, const std::string& worker_id, bool raised);
  void NoteUnproven(const HoldRow& row);
  void Excuse(Duration silence);
  LogTime OwnedUntil(const HoldRow& row) const;

  RowTable<AddressKey, HoldRow> holds_;
  RowTable<WorkerKey, HolderRow> holders_;
  RowTable<ProxyKey, AddressKey> address_of_;
  std::map<std::string, AddressKey, std::less<>> moved_;  // by id
  TextIndex<WorkerKey> holder_by_id_;
  std::array<absl::btree_set<AddressKey>, 2> placeable_;
  OfferIndex offers_;
  std::array<absl::btree_set<Load>, 2> candidates_;
  DeadlineIndex<AddressKey> lapses_;
  DeadlineIndex<WorkerKey> holder_windows_;
  DeadlineIndex<WorkerKey> unanswered_;
  DeadlineIndex<AddressKey> drain_deadlines_;
  absl::btree_set<Load> members_;
  std::uint64_t member_addresses_ = 0, member_weight_ = 0, grantable_addresses_ = 0;
  std::array<std::uint64_t, kRevokeReasons> revoking_{};
  std::set<std::string, std::less<>> cordoned_;
  std::uint64_t held_addresses_ = 0;
  std::array<std::array<std::uint64_t, kOwnershipStates>, kPoolStates> counts_{};
  Digest digest_;
};

}  // namespace holdfast
