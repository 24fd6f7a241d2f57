#include "projections/ownership.h"

#include <algorithm>

#include "base/check.h"

namespace holdfast {
namespace {

Digest HashOf(AddressKey address, const HoldRow& row) {
  RowHasher hash(4);
  hash.Number(address.value()).Number(static_cast<std::uint64_t>(row.state)).Number(row.owner.value());
  hash.Number(row.epoch.value()).Number(row.shown).Number(ToMicros(row.window_floor));
  hash.Number(static_cast<std::uint64_t>(row.lapse_cause)).Number(row.last_owner.value()).Number(row.needs_secret);
  hash.Number(row.was_shown).Number(static_cast<std::uint64_t>(row.revoke_reason)).Number(row.drain_target.value());
  hash.Number(row.drain_shown_at.value()).Number(ToMicros(row.drain_deadline));
  for (const ProxyBrief& brief : row.proxies) {
    hash.Number(brief.proxy.value()).Number(static_cast<std::uint64_t>(brief.state)).Number(brief.usable);
    hash.Number(ToMicros(brief.expires_at)).Number(brief.leaving).Number(brief.waits_for.value());
  }
  for (const ProxyId& id : row.moved_ids) hash.Text(id.value());
  for (const ProxyKey proxy : row.awaited_by) hash.Number(proxy.value());
  return hash.Finish();
}

Digest HashOf(WorkerKey worker, const HolderRow& row) {
  RowHasher hash(5);
  hash.Number(worker.value()).Text(row.worker_id.value()).Text(row.session_id.value()).Number(row.epoch.value());
  hash.Number(row.weight)
      .Number(row.max_proxies)
      .Number(row.takes_secrets)
      .Number(static_cast<std::uint64_t>(row.state));
  hash.Number(row.attached).Number(row.fenced).Number(row.oversize).Number(row.mute);
  hash.Number(row.conflict).Number(row.eligible).Number(row.unproven);
  hash.Number(ToMicros(row.unanswered_since));
  hash.Number(static_cast<std::uint64_t>(row.lapse_grace.count()));
  hash.Number(ToMicros(row.latest_valid_until)).Number(ToMicros(row.window_until)).Number(row.granted_addresses);
  hash.Number(ToMicros(row.given_back_until));
  return hash.Number(row.shown_addresses).Number(row.granted_proxies).Finish();
}

LogTime LatestExpiry(const HoldRow& row) {
  LogTime latest;
  for (const ProxyBrief& brief : row.proxies) latest = std::max(latest, brief.expires_at);
  return latest;
}

}  // namespace

bool HoldRow::grantable() const {
  return std::any_of(proxies.begin(), proxies.end(), [](const ProxyBrief& brief) {
    const bool waits = brief.waits_for.value() != 0;
    return brief.usable && !brief.leaving && !waits && brief.state == PoolState::kAvailable;
  });
}

LogTime Ownership::OwnedUntil(const HoldRow& row) const {
  if (row.owner.value() == 0 || !row.shown) return row.window_floor;
  const HolderRow& holder = holders_.At(row.owner);
  return std::max(row.window_floor, std::min(holder.latest_valid_until, LatestExpiry(row)) + holder.lapse_grace);
}

void Ownership::IndexHold(AddressKey address, const HoldRow& row, int sign) {
  const bool held = row.state != OwnershipState::kUnowned;
  const bool grantable = row.grantable();
  grantable_addresses_ += grantable ? sign : 0;
  if (!held && grantable) {
    if (sign > 0) placeable_[row.needs_secret].insert(address);
    if (sign < 0) placeable_[row.needs_secret].erase(address);
  }
  const LogTime lapse = held && !row.shown ? row.window_floor : LogTime();
  if (sign > 0) lapses_.Move(address, LogTime(), lapse);
  if (sign < 0) lapses_.Move(address, lapse, LogTime());
  const bool revoking = row.state == OwnershipState::kRevoking;
  const LogTime drain = revoking ? row.drain_deadline : LogTime();
  if (sign > 0) drain_deadlines_.Move(address, LogTime(), drain);
  if (sign < 0) drain_deadlines_.Move(address, drain, LogTime());
  revoking_[static_cast<std::size_t>(row.revoke_reason)] += revoking ? sign : 0;
  held_addresses_ += held ? sign : 0;
  for (const ProxyBrief& brief : row.proxies) {
    counts_[static_cast<std::size_t>(brief.state)][static_cast<std::size_t>(row.state)] += sign;
  }
}

void Ownership::CountHeld(const HoldRow& row, int sign) {
  const bool granted = row.state == OwnershipState::kGranted;
  const bool listed = granted || row.state == OwnershipState::kRevoking;
  if (!listed && !row.shown) return;
  ChangeHolder(row.owner, [&](HolderRow& holder) {
    if (row.shown) holder.shown_addresses += sign;
    if (granted) holder.granted_addresses += sign;
    if (listed) holder.granted_proxies += sign * static_cast<int>(row.proxies.size());
  });
}

template <class F>
void Ownership::ChangeHold(AddressKey address, F&& change) {
  HoldRow& row = holds_.At(address);
  digest_.Remove(HashOf(address, row));
  IndexHold(address, row, -1);
  CountHeld(row, -1);
  if (row.owner.value() != 0) {
    holders_.At(row.owner).owned.erase(address);
    if (row.state == OwnershipState::kRevoking) holders_.At(row.owner).revoking.erase(address);
  }
  change(row);
  if (row.owner.value() != 0) {
    holders_.At(row.owner).owned.insert(address);
    if (row.state == OwnershipState::kRevoking) holders_.At(row.owner).revoking.insert(address);
  }
  CountHeld(row, 1);
  IndexHold(address, row, 1);
  digest_.Add(HashOf(address, row));
}

void Ownership::IndexHolder(WorkerKey worker, const HolderRow& row, bool present) {
  if (!row.is_member()) return;
  const Load load{row.granted_addresses, row.weight, row.worker_id.value(), worker};
  present ? (void)members_.insert(load) : (void)members_.erase(load);
  member_addresses_ += present ? row.granted_addresses : -std::uint64_t{row.granted_addresses};
  member_weight_ += present ? row.weight : -std::uint64_t{row.weight};
  if (!row.takes_grants()) return;
  for (const bool secrets : {false, true}) {
    if (secrets && !row.takes_secrets) continue;
    if (present) candidates_[secrets].insert(load);
    if (!present) candidates_[secrets].erase(load);
  }
}

template <class F>
void Ownership::ChangeHolder(WorkerKey worker, F&& change) {
  HolderRow& row = holders_.At(worker);
  digest_.Remove(HashOf(worker, row));
  IndexHolder(worker, row, false);
  const auto window_timer = [&] { return row.shown_addresses > 0 ? row.window_until : LogTime(); };
  // Who could be given something must answer as well: what is granted to the silent is lost for a whole window.
  const auto answer_timer = [&] {
    const bool asked = row.granted_addresses > 0 || (row.state == SessionState::kActive && !row.mute);
    return asked ? row.unanswered_since : LogTime();
  };
  const LogTime window = window_timer();
  const LogTime unanswered = answer_timer();
  change(row);
  holder_windows_.Move(worker, window, window_timer());
  unanswered_.Move(worker, unanswered, answer_timer());
  IndexHolder(worker, row, true);
  digest_.Add(HashOf(worker, row));
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
    if (holds_.At(key).state == OwnershipState::kUnowned) continue;
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

void Ownership::Apply(const ProxyAdded& event, const EntryPoint&) {
  if (event.new_address) {
    HoldRow row;
    row.needs_secret = !event.spec->secret_ref.empty();
    digest_.Add(HashOf(event.address, holds_.Insert(event.address, std::move(row))));
  }
  address_of_.Insert(event.proxy, event.address);
  ChangeHold(event.address, [&](HoldRow& row) {
    row.proxies.push_back({event.proxy, event.state, true, event.spec->expires_at, false, event.waits_for});
  });
  if (event.waits_for.value() != 0) AwaitRelease(event.proxy, event.spec->proxy_id, event.waits_for);
}

// Times of a proxy may move while its address is shown: the window that was given before does not shrink.
template <class F>
void Ownership::ChangeBrief(ProxyKey proxy, F&& change) {
  const AddressKey address = address_of_.At(proxy);
  const LogTime window = OwnedUntil(address);
  ChangeHold(address, [&](HoldRow& row) {
    if (row.state != OwnershipState::kUnowned) row.window_floor = std::max(row.window_floor, window);
    change(*std::find_if(row.proxies.begin(), row.proxies.end(), [&](auto& brief) { return brief.proxy == proxy; }));
  });
}

void Ownership::Apply(const ProxyUpdated& event, const EntryPoint&) {
  ChangeBrief(event.proxy, [&](ProxyBrief& brief) {
    brief.expires_at = event.spec->expires_at;
    brief.usable = true;
    brief.leaving = false;
    if (brief.state == PoolState::kExpired) brief.state = event.revived;
  });
}

void Ownership::Apply(const ProxiesNamed& event, const EntryPoint&) {
  if (IsAbsent(event.expires_at)) return;
  for (const ProxyKey proxy : event.proxies) {
    ChangeBrief(proxy, [&](ProxyBrief& brief) {
      brief.expires_at = event.expires_at;
      brief.usable = true;
      if (brief.state == PoolState::kExpired) brief.state = event.revived;
    });
  }
}

void Ownership::Apply(const ProxyUnusable& event, const EntryPoint&) {
  ChangeBrief(event.proxy, [](ProxyBrief& brief) { brief.usable = false; });
}

void Ownership::Apply(const ProxyExpired& event, const EntryPoint&) {
  ChangeBrief(event.proxy, [](ProxyBrief& brief) {
    brief.usable = false;
    brief.state = PoolState::kExpired;
  });
}

void Ownership::Apply(const ProxyStateChanged& event, const EntryPoint&) {
  ChangeBrief(event.proxy, [&](ProxyBrief& brief) { brief.state = event.state; });
}

void Ownership::Apply(const ProxyLeaving& event, const EntryPoint&) {
  ChangeBrief(event.proxy, [](ProxyBrief& brief) { brief.leaving = true; });
}

// The id is remembered for as long as the address is held, also when its proxy leaves the pool and comes back.
void Ownership::AwaitRelease(ProxyKey proxy, const ProxyId& id, AddressKey address) {
  const bool first = moved_.emplace(id.value(), address).second;
  ChangeHold(address, [&](HoldRow& row) {
    row.awaited_by.push_back(proxy);
    if (first) row.moved_ids.push_back(id);
  });
}

void Ownership::StopWaiting(ProxyKey proxy) {
  const std::vector<ProxyBrief>& briefs = holds_.At(address_of_.At(proxy)).proxies;
  const auto found =
      std::find_if(briefs.begin(), briefs.end(), [&](const auto& brief) { return brief.proxy == proxy; });
  const AddressKey before = found->waits_for;
  if (before.value() == 0) return;
  ChangeBrief(proxy, [](ProxyBrief& brief) { brief.waits_for = AddressKey(); });
  ChangeHold(before, [&](HoldRow& row) { std::erase(row.awaited_by, proxy); });
}

void Ownership::Apply(const ProxyRemoved& event, const EntryPoint&) {
  const AddressKey address = address_of_.At(event.proxy);
  const LogTime window = OwnedUntil(address);
  StopWaiting(event.proxy);
  address_of_.Erase(event.proxy);
  ChangeHold(address, [&](HoldRow& row) {
    if (row.state != OwnershipState::kUnowned) row.window_floor = std::max(row.window_floor, window);
    row.proxies.erase(std::find_if(row.proxies.begin(), row.proxies.end(),
                                   [&](const ProxyBrief& brief) { return brief.proxy == event.proxy; }));
  });
}

void Ownership::Apply(const AddressRetired& event, const EntryPoint&) {
  const HoldRow& row = holds_.At(event.address);
  HOLDFAST_CHECK(row.state == OwnershipState::kUnowned && row.proxies.empty());
  digest_.Remove(HashOf(event.address, row));
  holds_.Erase(event.address);
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
