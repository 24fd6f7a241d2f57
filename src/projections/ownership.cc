#include "projections/ownership.h"

#include <algorithm>

#include "base/check.h"
#include "projections/ownership_change.h"

namespace holdfast {
namespace {

LogTime LatestExpiry(const HoldRow& row) {
  LogTime latest;
  for (const ProxyBrief& brief : row.proxies) latest = std::max(latest, brief.expires_at);
  return latest;
}

}  // namespace

bool HoldRow::grantable() const {
  return std::any_of(proxies.begin(), proxies.end(), [](const ProxyBrief& brief) { return brief.grantable(); });
}

LogTime Ownership::OwnedUntil(const HoldRow& row) const {
  if (row.owner.value() == 0 || !row.shown) return row.window_floor;
  const HolderRow& holder = holders_.At(row.owner);
  return std::max(row.window_floor, std::min(holder.latest_valid_until, LatestExpiry(row)) + holder.lapse_grace);
}

// The controller's own silence is not held against who could not answer.
void Ownership::Excuse(Duration silence) {
  for (WorkerKey key = holders_.NextKey(WorkerKey(1)); key.value() != 0; key = holders_.NextKey(Next(key))) {
    if (IsAbsent(holders_.At(key).unanswered_since)) continue;
    ChangeHolder(key, [&](HolderRow& row) { row.unanswered_since += silence; });
  }
}

// Deadlines of members and windows move with the clock; when a proxy expires does not: the window that it bounded stays
// as long as it was.
void Ownership::Apply(const ClockAccepted& event, const EntryPoint&) {
  for (AddressKey key = holds_.NextKey(AddressKey(1)); key.value() != 0; key = holds_.NextKey(Next(key))) {
    if (holds_.At(key).owner.value() == 0) continue;  // nobody's, or a client's: extractions.h
    const LogTime window = OwnedUntil(key);
    ChangeHold(key, [&](HoldRow& row) {
      row.window_floor = std::max(row.window_floor, window) + event.moved;
      if (!IsAbsent(row.drain_deadline)) row.drain_deadline += event.moved;
    });
  }
  for (WorkerKey key = holders_.NextKey(WorkerKey(1)); key.value() != 0; key = holders_.NextKey(Next(key))) {
    ChangeHolder(key, [&](HolderRow& row) {
      for (LogTime* time : {&row.unanswered_since, &row.latest_valid_until, &row.window_until, &row.given_back_until}) {
        if (!IsAbsent(*time)) *time += event.moved;
      }
    });
  }
}

void Ownership::Apply(const ControllerStarted& event, const EntryPoint&) {
  Excuse(event.downtime);
  if (event.same_boot) return;
  // What a process goes by from before it gave back keeps what it had left as well.
  for (WorkerKey key = holders_.NextKey(WorkerKey(1)); key.value() != 0; key = holders_.NextKey(Next(key))) {
    if (IsAbsent(holders_.At(key).given_back_until)) continue;
    ChangeHolder(key, [&](HolderRow& row) { row.given_back_until += event.downtime; });
  }
}

void Ownership::Apply(const HoldOffStarted& event, const EntryPoint&) { Excuse(event.stalled); }

void Ownership::ApplyAlarm(AlarmKind kind, const std::string& worker_id, bool raised) {
  const WorkerKey worker = holder_by_id_.Find(worker_id);
  if (worker.value() == 0) return;
  ChangeHolder(worker, [&](HolderRow& row) {
    if (kind == AlarmKind::kSnapshotOversize) row.oversize = raised;
    if (kind == AlarmKind::kSnapshotRefused) row.mute = raised;
    if (kind == AlarmKind::kInstanceConflict) row.conflict = raised;
  });
}

void Ownership::Apply(const AlarmRaised& event, const EntryPoint&) { ApplyAlarm(event.kind, event.subject, true); }

void Ownership::Apply(const AlarmCleared& event, const EntryPoint&) { ApplyAlarm(event.kind, event.subject, false); }

void Ownership::Apply(const SessionOpened& event, const EntryPoint&) {
  if (holders_.Find(event.worker) == nullptr) {
    holder_by_id_.Insert(event.worker_id.value(), event.worker);
    digest_.Add(HashOf(event.worker, holders_.Insert(event.worker, HolderRow{})));
  }
  ChangeHolder(event.worker, [&](HolderRow& row) {
    row.worker_id = event.worker_id;
    row.session_id = event.session_id;
    row.weight = event.weight;
    row.max_proxies = event.max_proxies;
    row.takes_secrets = (event.capabilities & kCapabilitySecretRef) != 0;
    row.state = SessionState::kHandshaking;
    row.attached = false;
    row.fenced = false;
    row.unproven = false;
    row.eligible = !is_cordoned(event.worker_id.value());
    // A window that was given under a longer grace does not shrink.
    row.lapse_grace = event.new_instance ? event.lapse_grace : std::max(row.lapse_grace, event.lapse_grace);
    row.epoch = event.epoch;
    if (event.new_instance) row.latest_valid_until = row.window_until = row.given_back_until = LogTime();
    if (IsAbsent(row.latest_valid_until)) return;
    row.window_until = std::max(row.window_until, row.latest_valid_until + row.lapse_grace);
  });
}

void Ownership::Apply(const SessionActivated& event, const EntryPoint&) {
  ChangeHolder(event.worker, [](HolderRow& row) { row.state = SessionState::kActive; });
}

void Ownership::Apply(const SessionAttached& event, const EntryPoint&) {
  ChangeHolder(event.worker, [](HolderRow& row) { row.attached = true; });
}

void Ownership::Apply(const SessionDetached& event, const EntryPoint&) {
  ChangeHolder(event.worker, [](HolderRow& row) { row.attached = false; });
}

void Ownership::Apply(const SessionDraining& event, const EntryPoint&) {
  ChangeHolder(event.worker, [](HolderRow& row) { row.state = SessionState::kDraining; });
}

void Ownership::Apply(const EligibilitySet& event, const EntryPoint&) {
  if (event.checker) return;
  const std::string& id = event.member_id.value();
  const Digest hash = RowHasher(12).Text(id).Finish();
  if (event.eligible && cordoned_.erase(id) > 0) digest_.Remove(hash);
  if (!event.eligible && cordoned_.insert(id).second) digest_.Add(hash);
  const WorkerKey worker = holder_by_id_.Find(event.member_id.value());
  if (worker.value() != 0) ChangeHolder(worker, [&](HolderRow& row) { row.eligible = event.eligible; });
}

void Ownership::Apply(const SessionClosed& event, const EntryPoint&) {
  ChangeHolder(event.worker, [](HolderRow& row) {
    row.state = SessionState::kClosed;
    row.attached = false;
  });
}

void Ownership::Apply(const SnapshotIssued& event, const EntryPoint& entry) {
  const auto current = [&](const HoldRow& row) { return row.owner == event.worker && row.epoch == event.epoch; };
  // What leaves the content keeps the window that it had; what enters moves with the instance from now on.
  for (const AddressKey address : event.dropped) {
    const HoldRow* found = holds_.Find(address);
    if (found == nullptr || !current(*found) || !found->shown) continue;
    const LogTime window = OwnedUntil(*found);
    ChangeHold(address, [&](HoldRow& row) {
      row.window_floor = window;
      row.shown = false;
    });
  }
  LogTime floor;
  for (const AddressKey address : event.shown) {
    const HoldRow* found = holds_.Find(address);
    if (found == nullptr || !current(*found)) continue;
    floor = std::max(floor, found->window_floor);
    ChangeHold(address, [](HoldRow& row) { row.shown = row.was_shown = true; });
  }
  for (const AddressKey address : event.draining) {
    ChangeHold(address, [&](HoldRow& row) {
      HOLDFAST_CHECK(row.state == OwnershipState::kRevoking && row.drain_target.value() == 0);
      row.drain_target = event.version;
      row.drain_shown_at = entry.sequence;
    });
  }
  ChangeHolder(event.worker, [&](HolderRow& row) {
    if (IsAbsent(row.unanswered_since)) row.unanswered_since = entry.at;
    row.latest_valid_until = std::max(row.latest_valid_until, event.valid_until);
    row.window_until = std::max({row.window_until, floor, row.latest_valid_until + row.lapse_grace});
  });
}

void Ownership::Apply(const SnapshotAcknowledged& event, const EntryPoint&) {
  ChangeHolder(event.worker, [](HolderRow& row) {
    row.fenced = false;
    row.unanswered_since = LogTime();
  });
}

void Ownership::Apply(const SnapshotRefused& event, const EntryPoint&) {
  ChangeHolder(event.worker, [](HolderRow& row) { row.fenced = true; });
}

void Ownership::Apply(const OwnershipGranted& event, const EntryPoint&) {
  ChangeHold(event.address, [&](HoldRow& row) {
    HOLDFAST_CHECK(row.state == OwnershipState::kUnowned);
    row.state = OwnershipState::kGranted;
    row.owner = event.worker;
    row.epoch = event.epoch;
    row.shown = row.was_shown = false;
    row.window_floor = event.owned_until;
    row.lapse_cause = LapseCause::kUnspecified;
    row.revoke_reason = RevokeReason::kUnspecified;
    row.last_owner = event.worker;
  });
}

void Ownership::Apply(const OwnershipRevoked& event, const EntryPoint&) {
  for (const AddressKey address : event.addresses) {
    ChangeHold(address, [&](HoldRow& row) {
      HOLDFAST_CHECK(row.owner == event.worker && row.epoch == event.epoch);
      HOLDFAST_CHECK(row.state == OwnershipState::kGranted || row.state == OwnershipState::kRevoking);
      if (row.state == OwnershipState::kGranted) row.revoke_reason = event.reason;
      row.state = OwnershipState::kRevoking;
      row.drain_deadline = event.deadline;
    });
  }
}

// A drain that ends without its proof, or something that lapses in a drain, is remembered until the session is over.
void Ownership::NoteUnproven(const HoldRow& row) {
  const HolderRow& holder = holders_.At(row.owner);
  if (holder.state != SessionState::kDraining || row.epoch != holder.epoch || !row.was_shown) return;
  ChangeHolder(row.owner, [](HolderRow& changed) { changed.unproven = true; });
}

void Ownership::Apply(const OwnershipLapsing& event, const EntryPoint&) {
  for (std::size_t i = 0; i < event.addresses.size(); ++i) {
    NoteUnproven(holds_.At(event.addresses[i]));
    ChangeHold(event.addresses[i], [&](HoldRow& row) {
      HOLDFAST_CHECK(row.owner == event.worker && row.epoch == event.epoch);
      row.state = OwnershipState::kLapsing;
      row.shown = false;
      row.window_floor = event.owned_until[i];
      row.lapse_cause = event.cause;
      if (row.revoke_reason == RevokeReason::kUnspecified) row.revoke_reason = event.revoke_reason;
      row.drain_target = Version();
      row.drain_shown_at = Sequence();
      row.drain_deadline = LogTime();
    });
  }
}

void Ownership::Apply(const OwnershipResumed& event, const EntryPoint&) {
  for (const AddressKey address : event.addresses) {
    ChangeHold(address, [&](HoldRow& row) {
      HOLDFAST_CHECK(row.state == OwnershipState::kLapsing && row.owner == event.worker && row.epoch == event.epoch);
      row.state = OwnershipState::kGranted;
      row.lapse_cause = LapseCause::kUnspecified;
    });
  }
}

void Ownership::Apply(const OwnershipReleased& event, const EntryPoint&) {
  const bool proven = event.reason == EndReason::kDrained;
  if (!proven) NoteUnproven(holds_.At(event.address));
  if (proven) {
    const LogTime window = OwnedUntil(event.address);
    ChangeHolder(holds_.At(event.address).owner,
                 [&](HolderRow& row) { row.given_back_until = std::max(row.given_back_until, window); });
  }
  for (const ProxyId& id : holds_.At(event.address).moved_ids) moved_.erase(id.value());
  ChangeHold(event.address, [&](HoldRow& row) {
    HOLDFAST_CHECK(row.state != OwnershipState::kUnowned);
    row.moved_ids.clear();
    const bool moved = row.revoke_reason == RevokeReason::kRebalance || row.revoke_reason == RevokeReason::kReclaim;
    if (moved) row.last_owner = WorkerKey();
    row.state = OwnershipState::kUnowned;
    row.was_shown = false;
    row.revoke_reason = RevokeReason::kUnspecified;
    row.drain_target = Version();
    row.drain_shown_at = Sequence();
    row.drain_deadline = LogTime();
    row.owner = WorkerKey();
    row.epoch = Epoch();
    row.shown = false;
    row.window_floor = LogTime();
    row.lapse_cause = LapseCause::kUnspecified;
  });
  for (const ProxyKey proxy : event.ready) {
    if (address_of_.Find(proxy) != nullptr) StopWaiting(proxy);  // it may have left in the same decision
  }
}

}  // namespace holdfast
