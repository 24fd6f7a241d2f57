// What the rows of ownership are hashed as, and where each stands in the indices.

#include <algorithm>

#include "projections/ownership.h"
#include "projections/ownership_change.h"

namespace holdfast {

Digest HashOf(AddressKey address, const HoldRow& row) {
  RowHasher hash(4);
  hash.Number(address.value()).Number(static_cast<std::uint64_t>(row.state)).Number(row.owner.value());
  hash.Number(row.extraction.value());
  hash.Number(row.epoch.value()).Number(row.shown).Number(ToMicros(row.window_floor));
  hash.Number(static_cast<std::uint64_t>(row.lapse_cause)).Number(row.last_owner.value()).Number(row.needs_secret);
  hash.Number(row.was_shown).Number(static_cast<std::uint64_t>(row.revoke_reason)).Number(row.drain_target.value());
  hash.Number(row.drain_shown_at.value()).Number(ToMicros(row.drain_deadline));
  for (const ProxyBrief& brief : row.proxies) {
    hash.Number(brief.proxy.value()).Number(static_cast<std::uint64_t>(brief.state)).Number(brief.usable);
    hash.Number(ToMicros(brief.expires_at)).Number(brief.leaving).Number(brief.waits_for.value());
    hash.Number(ToMicros(brief.usable_until));
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

// Requires: it is grantable.
void Ownership::IndexOffer(AddressKey address, const HoldRow& row, bool present) {
  LogTime until;
  std::vector<const ProxySpec*> specs;
  for (const ProxyBrief& brief : row.proxies) {
    if (!brief.grantable()) continue;
    until = std::max(until, brief.usable_until);
    specs.push_back(&*brief.spec);
  }
  const Offer offer{until, address};
  present ? offers_.Insert(offer, row.needs_secret, specs) : offers_.Erase(offer, row.needs_secret, specs);
}

void Ownership::IndexHold(AddressKey address, const HoldRow& row, int sign) {
  const bool held = row.state != OwnershipState::kUnowned;
  const bool grantable = row.grantable();
  grantable_addresses_ += grantable ? sign : 0;
  if (!held && grantable) {
    if (sign > 0) placeable_[row.needs_secret].insert(address);
    if (sign < 0) placeable_[row.needs_secret].erase(address);
    IndexOffer(address, row, sign > 0);
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

}  // namespace holdfast
