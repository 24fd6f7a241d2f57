#include "projections/snapshots.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace holdfast {
namespace {

constexpr std::size_t kRememberedReferences = 64;
constexpr LogTime kAtOnce = LogTimeFromMicros(1);

Digest HashOf(WorkerKey worker, const WorkerSnapshots& row) {
  RowHasher hash(6);
  const auto text = [](const Checksum& sum) {
    return std::string_view(reinterpret_cast<const char*>(sum.data()), sum.size());
  };
  hash.Number(worker.value()).Text(text(row.content_sum)).Number(row.content.size()).Number(row.routings_revision);
  hash.Number(row.dirty_listed.size())
      .Number(row.dirty_new.size())
      .Number(row.deferred.size())
      .Number(row.epoch.value());
  hash.Number(row.open).Number(row.stream.value()).Number(row.fresh_stream).Number(row.full_needed);
  hash.Number(row.first_version.value())
      .Number(row.last_version.value())
      .Number(row.refused.value())
      .Number(row.fenced);
  hash.Number(row.accepted ? row.accepted->version.value() : 0).Number(row.accepted_by.value());
  hash.Number(row.outstanding.value());
  hash.Number(ToMicros(row.issued_at)).Number(ToMicros(row.ack_deadline)).Number(ToMicros(row.fresh_until));
  return hash.Finish();
}

// A proxy that left and came back under its id (on another endpoint) is an upsert: an id is never both.
void DropReplaced(BuiltUpdate& update) {
  if (update.removed.empty()) return;
  absl::btree_set<std::string_view> upserted;
  for (const Boxed<Grant>& grant : update.upserted) upserted.insert(grant->spec->proxy_id.value());
  std::erase_if(update.removed,
                [&](const Boxed<ProxySpec>& spec) { return upserted.contains(spec->proxy_id.value()); });
}

void MoveAll(absl::btree_set<AddressKey>& from, WorkerSnapshots& row) {
  for (const AddressKey address : from) {
    const auto listed = row.by_address.lower_bound({address, ProxyKey()});
    const bool in_content = listed != row.by_address.end() && listed->first == address;
    (in_content ? row.dirty_listed : row.dirty_new).insert(address);
  }
  from.clear();
}

}  // namespace

std::size_t GrantBytes(const Grant& grant) {
  const ProxySpec& spec = *grant.spec;
  std::size_t bytes = 64 + spec.proxy_id.value().size() + spec.endpoint.host.size() + spec.secret_ref.size();
  for (const auto& [key, value] : spec.labels) bytes += 12 + key.size() + value.size();
  if (!grant.unhealthy_routings) return bytes;
  for (const std::string& routing : *grant.unhealthy_routings) bytes += 4 + routing.size();
  return bytes;
}

template <class F>
void Snapshots::Change(WorkerKey worker, F&& change) {
  WorkerSnapshots& row = workers_.At(worker);
  digest_.Remove(HashOf(worker, row));
  const LogTime issue = IssueAt(row);
  const LogTime ack = row.ack_deadline;
  change(row);
  issues_.Move(worker, issue, IssueAt(row));
  ack_deadlines_.Move(worker, ack, row.ack_deadline);
  digest_.Add(HashOf(worker, row));
}

// When the next update is to be issued; absent: nothing waits. A NACK parks what it refused: only a change of what is
// listed, or of the routings, or a new stream, issues again.
LogTime Snapshots::IssueAt(const WorkerSnapshots& row) const {
  if (!row.open || row.stream.value() == 0 || row.outstanding.value() != 0) return LogTime();
  const bool changed = !row.dirty_listed.empty() || row.routings_revision != routings_revision_;
  if (row.fresh_stream || changed || (!row.fenced && !row.dirty_new.empty())) return kAtOnce;
  if (row.fenced || !row.accepted) return LogTime();
  const LogTime renewal = row.issued_at + renewal_interval_;
  return renewal < row.fresh_until ? renewal : LogTime();
}

void Snapshots::Apply(const SettingsChanged& event, const EntryPoint&) {
  // Issue times follow from these: take every worker out under the old ones and put it back under the new.
  std::vector<std::pair<WorkerKey, LogTime>> before;
  workers_.ForEach([&](WorkerKey worker, const WorkerSnapshots& row) { before.emplace_back(worker, IssueAt(row)); });
  renewal_interval_ = event.settings.renewal_interval;
  ack_timeout_ = event.settings.ack_timeout;
  runtime_ttl_ = event.settings.runtime_ttl;
  for (const auto& [worker, at] : before) issues_.Move(worker, at, IssueAt(workers_.At(worker)));
}

void Snapshots::Apply(const ClockAccepted& event, const EntryPoint&) {
  for (WorkerKey key = workers_.NextKey(WorkerKey(1)); key.value() != 0; key = workers_.NextKey(Next(key))) {
    Change(key, [&](WorkerSnapshots& row) {
      for (LogTime* time : {&row.issued_at, &row.ack_deadline, &row.fresh_until}) {
        if (!IsAbsent(*time)) *time += event.moved;
      }
      for (IssuedReference& reference : row.issued) reference.valid_until += event.moved;
      if (row.accepted) row.accepted->valid_until += event.moved;
    });
  }
}

void Snapshots::Apply(const SessionOpened& event, const EntryPoint&) {
  if (workers_.Find(event.worker) == nullptr) {
    digest_.Add(HashOf(event.worker, workers_.Insert(event.worker, WorkerSnapshots{})));
  }
  Change(event.worker, [&](WorkerSnapshots& row) {
    if (event.new_instance) {
      const Version last = row.last_version;
      row = WorkerSnapshots{};
      row.last_version = last;
    }
    row.epoch = event.epoch;
    row.open = true;
    row.takes_deltas = (event.capabilities & kCapabilityDelta) != 0;
    row.stream = StreamId();
    row.full_needed = true;
    row.last_version = std::max(row.last_version, event.version_floor);
    row.first_version = Next(row.last_version);
    row.issued.clear();
    row.accepted.reset();
    row.changes.clear();
    row.refused = Version();
    row.fenced = false;
    row.issued_at = LogTime();
    row.fresh_until = LogTime();
    EndOutstanding(row);
    MoveAll(row.deferred, row);
  });
}

void Snapshots::EndOutstanding(WorkerSnapshots& row) const {
  row.outstanding = Version();
  row.ack_deadline = LogTime();
  row.outstanding_full = false;
  row.outstanding_partial = false;
}

void Snapshots::Apply(const SessionAttached& event, const EntryPoint&) {
  Change(event.worker, [&](WorkerSnapshots& row) {
    row.stream = event.stream;
    row.fresh_stream = true;
    row.full_needed = !event.resumed;
    EndOutstanding(row);
  });
}

void Snapshots::Apply(const SessionDetached& event, const EntryPoint&) {
  Change(event.worker, [&](WorkerSnapshots& row) {
    if (row.stream != event.stream) return;
    row.stream = StreamId();
    row.fresh_stream = false;
    EndOutstanding(row);
  });
}

void Snapshots::Apply(const SessionClosed& event, const EntryPoint&) {
  Change(event.worker, [&](WorkerSnapshots& row) {
    row.open = false;
    row.stream = StreamId();
    row.fresh_stream = false;
    row.accepted.reset();
    row.changes.clear();
    row.issued.clear();
    EndOutstanding(row);
  });
}

void Snapshots::Apply(const RuntimeAccepted& event, const EntryPoint& entry) {
  Change(event.worker, [&](WorkerSnapshots& row) { row.fresh_until = entry.at + runtime_ttl_; });
}

Grant Snapshots::GrantOf(ProxyKey proxy, GrantState state) const {
  const ProxyTimes& times = proxies_.At(proxy);
  return Grant{times.spec, times.address, times.expires_at, times.usable_until, state, times.unhealthy_routings};
}

void Snapshots::List(WorkerSnapshots& row, Version version, ProxyKey proxy, GrantState state) {
  Boxed<Grant> grant(GrantOf(proxy, state));
  Boxed<Grant>& place = row.content[proxy];
  row.changes.push_back({version, proxy, grant->spec, static_cast<bool>(place)});
  if (place) {
    row.content_bytes -= GrantBytes(*place);
    row.by_address.erase({place->address, proxy});
  }
  row.content_bytes += GrantBytes(*grant);
  row.by_address.insert({grant->address, proxy});
  place = std::move(grant);
}

void Snapshots::Unlist(WorkerSnapshots& row, Version version, ProxyKey proxy) {
  const auto found = row.content.find(proxy);
  HOLDFAST_CHECK(found != row.content.end());
  row.changes.push_back({version, proxy, found->second->spec, true});
  row.content_bytes -= GrantBytes(*found->second);
  row.by_address.erase({found->second->address, proxy});
  row.content.erase(found);
}

void Snapshots::Apply(const SnapshotIssued& event, const EntryPoint& entry) {
  Change(event.worker, [&](WorkerSnapshots& row) {
    HOLDFAST_CHECK(event.version == Next(row.last_version) && event.upserted.size() == event.states.size());
    for (const ProxyKey proxy : event.removed) Unlist(row, event.version, proxy);
    for (std::size_t i = 0; i < event.upserted.size(); ++i)
      List(row, event.version, event.upserted[i], event.states[i]);
    row.dirty_listed.clear();
    row.dirty_new.clear();
    if (!event.removed.empty()) MoveAll(row.deferred, row);
    row.deferred.insert(event.deferred.begin(), event.deferred.end());
    row.content_sum = event.content_sum;
    row.checksum = event.checksum;
    row.routings_revision = event.routings_revision;
    row.last_version = event.version;
    row.issued.push_back({event.version, event.checksum, event.valid_until, event.routings_revision});
    if (row.issued.size() > kRememberedReferences) row.issued.pop_front();
    row.outstanding = event.version;
    row.outstanding_full = event.base.value() == 0;
    row.outstanding_partial = event.partial;
    if (row.outstanding_full) row.full_needed = false;
    row.fresh_stream = false;
    row.issued_at = entry.at;
    row.ack_deadline = entry.at + ack_timeout_;
  });
}

void Snapshots::Apply(const SnapshotAcknowledged& event, const EntryPoint& entry) {
  Change(event.worker, [&](WorkerSnapshots& row) {
    const auto found = std::find_if(row.issued.begin(), row.issued.end(), [&](const IssuedReference& reference) {
      return reference.version == event.version;
    });
    HOLDFAST_CHECK(found != row.issued.end());
    row.accepted = *found;
    row.accepted_by = entry.sequence;
    const bool opens = std::exchange(row.fenced, false);
    while (!row.changes.empty() && row.changes.front().version <= event.version) row.changes.pop_front();
    if (row.outstanding == event.version) EndOutstanding(row);
    if (row.takes_deltas || opens) MoveAll(row.deferred, row);
  });
}

void Snapshots::Apply(const SnapshotRefused& event, const EntryPoint&) {
  Change(event.worker, [&](WorkerSnapshots& row) {
    row.fenced = true;
    row.refused = std::max(row.refused, event.version);
    row.full_needed = true;
    row.accepted.reset();
    row.changes.clear();
    if (row.outstanding.value() != 0 && row.outstanding <= event.version) EndOutstanding(row);
  });
}

void Snapshots::Apply(const UpdateAbandoned& event, const EntryPoint&) {
  Change(event.worker, [&](WorkerSnapshots& row) {
    if (row.outstanding != event.version) return;
    if (row.outstanding_full) row.full_needed = true;
    row.fresh_stream = row.stream.value() != 0;
    EndOutstanding(row);
  });
}

void Snapshots::Mark(WorkerKey worker, AddressKey address) {
  Change(worker, [&](WorkerSnapshots& row) {
    row.deferred.erase(address);
    absl::btree_set<AddressKey> one = {address};
    MoveAll(one, row);
  });
}

// What is not its own any more is of interest only where the content still lists it.
void Snapshots::MarkGone(WorkerKey worker, AddressKey address) {
  Change(worker, [&](WorkerSnapshots& row) {
    row.deferred.erase(address);
    row.dirty_new.erase(address);
    const auto listed = row.by_address.lower_bound({address, ProxyKey()});
    if (listed != row.by_address.end() && listed->first == address) row.dirty_listed.insert(address);
  });
}

void Snapshots::MarkAddress(AddressKey address) {
  const Owner* owner = owners_.Find(address);
  if (owner == nullptr) return;
  owner->granted ? Mark(owner->worker, address) : MarkGone(owner->worker, address);
}

void Snapshots::Apply(const ProxyAdded& event, const EntryPoint&) {
  proxies_.Insert(event.proxy, ProxyTimes{event.spec, event.address, event.spec->expires_at, event.spec->usable_until});
  MarkAddress(event.address);
}

void Snapshots::Apply(const ProxyUpdated& event, const EntryPoint&) {
  ProxyTimes& times = proxies_.At(event.proxy);
  times.spec = event.spec;
  times.expires_at = event.spec->expires_at;
  times.usable_until = event.spec->usable_until;
  MarkAddress(times.address);
}

void Snapshots::Apply(const ProxiesNamed& event, const EntryPoint&) {
  if (IsAbsent(event.expires_at)) return;
  for (const ProxyKey proxy : event.proxies) {
    ProxyTimes& times = proxies_.At(proxy);
    times.expires_at = event.expires_at;
    times.usable_until = event.usable_until;
    MarkAddress(times.address);
  }
}

void Snapshots::Apply(const ProxyUnusable& event, const EntryPoint&) { MarkAddress(proxies_.At(event.proxy).address); }

void Snapshots::Apply(const ProxyExpired& event, const EntryPoint&) {
  ProxyTimes& times = proxies_.At(event.proxy);
  times.unhealthy_routings = {};
  MarkAddress(times.address);
}

void Snapshots::Apply(const ProxyStateChanged& event, const EntryPoint&) {
  MarkAddress(proxies_.At(event.proxy).address);
}

void Snapshots::Apply(const RoutingsMarked& event, const EntryPoint&) {
  ProxyTimes& times = proxies_.At(event.proxy);
  times.unhealthy_routings = event.routing_ids.empty() ? Boxed<std::vector<std::string>>() : Boxed(event.routing_ids);
  MarkAddress(times.address);
}

void Snapshots::Apply(const ProxyLeaving& event, const EntryPoint&) { MarkAddress(proxies_.At(event.proxy).address); }

void Snapshots::Apply(const ProxyRemoved& event, const EntryPoint&) {
  const AddressKey address = proxies_.At(event.proxy).address;
  proxies_.Erase(event.proxy);
  MarkAddress(address);
}

void Snapshots::Apply(const RoutingsApplied& event, const EntryPoint&) {
  std::vector<std::pair<WorkerKey, LogTime>> before;
  workers_.ForEach([&](WorkerKey worker, const WorkerSnapshots& row) { before.emplace_back(worker, IssueAt(row)); });
  routings_revision_ = event.revision;
  for (const auto& [worker, at] : before) issues_.Move(worker, at, IssueAt(workers_.At(worker)));
}

void Snapshots::Apply(const OwnershipGranted& event, const EntryPoint&) {
  owners_.Insert(event.address, Owner{event.worker, true});
  Mark(event.worker, event.address);
}

void Snapshots::Apply(const OwnershipRevoked& event, const EntryPoint&) {
  for (const AddressKey address : event.addresses) Mark(event.worker, address);
}

void Snapshots::Apply(const OwnershipHeld& event, const EntryPoint&) {
  for (const AddressKey address : event.addresses) Mark(event.worker, address);
}

void Snapshots::Apply(const OwnershipLapsing& event, const EntryPoint&) {
  for (const AddressKey address : event.addresses) {
    owners_.At(address).granted = false;
    MarkGone(event.worker, address);
  }
}

void Snapshots::Apply(const OwnershipResumed& event, const EntryPoint&) {
  for (const AddressKey address : event.addresses) {
    owners_.At(address).granted = true;
    Mark(event.worker, address);
  }
}

void Snapshots::Apply(const OwnershipReleased& event, const EntryPoint&) {
  MarkGone(owners_.At(event.address).worker, event.address);
  owners_.Erase(event.address);
  for (const ProxyKey proxy : event.ready) {
    const ProxyTimes* times = proxies_.Find(proxy);  // it may have left in the same decision
    if (times != nullptr) MarkAddress(times->address);
  }
}

BuiltUpdate Snapshots::Build(WorkerKey worker) const {
  const WorkerSnapshots& row = workers_.At(worker);
  HOLDFAST_CHECK(row.outstanding.value() != 0 && row.outstanding == row.last_version);
  BuiltUpdate update;
  update.version = row.last_version;
  update.epoch = row.epoch;
  update.generated_at = row.issued_at;
  update.valid_until = row.issued.back().valid_until;
  update.checksum = row.issued.back().checksum;
  update.partial = row.outstanding_partial;
  if (row.outstanding_full) {
    update.upserted.reserve(row.content.size());
    for (const auto& [proxy, grant] : row.content) update.upserted.push_back(grant);
    return update;
  }
  HOLDFAST_CHECK(row.accepted);
  update.base = row.accepted->version;
  update.routings_changed = row.accepted->routings_revision != row.routings_revision;
  absl::btree_set<ProxyKey> seen;
  for (const ContentChange& change : row.changes) {
    if (!seen.insert(change.proxy).second) continue;  // the first says whether the base listed it
    const auto listed = row.content.find(change.proxy);
    if (listed != row.content.end()) update.upserted.push_back(listed->second);
    if (listed == row.content.end() && change.was_listed) update.removed.push_back(change.spec);
  }
  DropReplaced(update);
  return update;
}

}  // namespace holdfast
