#include "projections/health.h"

#include <algorithm>

#include "base/check.h"

namespace holdfast {
namespace {

void Hash(const KeyHealth& key, RowHasher& hash) {
  hash.Number(static_cast<std::uint64_t>(key.state)).Number(static_cast<std::uint64_t>(key.verdict));
  hash.Number(static_cast<std::uint64_t>(key.phase)).Number(static_cast<std::uint64_t>(key.error));
  hash.Number(key.passed)
      .Number(key.passes)
      .Number(key.failures)
      .Number(key.inconclusive)
      .Number(ToMicros(key.observed_at));
  hash.Number(key.latest.sequence.value()).Number(key.latest.task.value());
  hash.Number(static_cast<std::uint64_t>(key.latency.count())).Number(key.http_status);
  for (const Evidence& evidence : key.row) hash.Number(evidence.sequence.value()).Number(evidence.task.value());
}

Digest HashOf(ProxyKey proxy, const ProxyHealth& row) {
  RowHasher hash(14);
  hash.Number(proxy.value()).Number(ToMicros(row.since));
  Hash(row.basic, hash);
  Hash(row.egress, hash);
  for (const auto& [routing, key] : row.targets) {
    hash.Number(routing.value());
    Hash(key, hash);
  }
  hash.Number(static_cast<std::uint64_t>(row.anonymity)).Text(row.egress_ip);
  for (const RoutingKey routing : row.marked) hash.Number(routing.value());
  return hash.Finish();
}

template <class Targets>
auto FindTarget(Targets& targets, RoutingKey routing) {
  return std::find_if(targets.begin(), targets.end(), [&](const auto& target) { return target.first == routing; });
}

KeyHealth* FindKey(ProxyHealth& row, CheckLevel level, RoutingKey routing) {
  return const_cast<KeyHealth*>(std::as_const(row).Find(level, routing));
}

void Note(KeyHealth& key, const CheckObserved& event, const EntryPoint& entry) {
  key.verdict = event.verdict;
  key.looked_at = entry.at;
  key.latest = {entry.sequence, event.task};
  if (event.verdict == Verdict::kInconclusive) {
    ++key.inconclusive;
    return;
  }
  const bool passed = event.verdict == Verdict::kPass;
  if (passed ? key.failures > 0 : key.passes > 0) key.row.clear();
  key.inconclusive = 0;
  key.passed = key.passed || passed;
  key.passes = event.passes;
  key.failures = event.failures;
  key.observed_at = entry.at;
  key.latency = event.latency;
  key.http_status = event.http_status;
  key.phase = event.phase;
  key.error = event.error;
  key.row.push_back({entry.sequence, event.task});
  // Passes of what is AVAILABLE decide nothing: the latest is enough.
  const bool settled = passed && key.state == HealthState::kAvailable;
  const std::size_t most = settled ? 1 : Health::kMostEvidence;
  if (key.row.size() > most) key.row.erase(key.row.begin(), key.row.end() - static_cast<std::ptrdiff_t>(most));
}

bool PassesTarget(const ProxyHealth& row, RoutingKey routing, const KeyHealth& key) {
  const bool marked = std::find(row.marked.begin(), row.marked.end(), routing) != row.marked.end();
  return key.state == HealthState::kAvailable && !marked;
}

// Ascending.
std::vector<RoutingKey> ServedBy(const ProxyHealth& row) {
  std::vector<RoutingKey> served;
  for (const auto& [routing, key] : row.targets) {
    if (PassesTarget(row, routing, key)) served.push_back(routing);
  }
  return served;
}

}  // namespace

const KeyHealth* ProxyHealth::Find(CheckLevel level, RoutingKey routing) const {
  if (level == CheckLevel::kBasic) return &basic;
  if (level == CheckLevel::kEgress) return &egress;
  const auto found = FindTarget(targets, routing);
  return found == targets.end() ? nullptr : &found->second;
}

void Health::Count(const ProxyHealth& row, std::int64_t sign) {
  const auto count = [&](CheckLevel level, RoutingKey routing, const KeyHealth& key) {
    Counts& counts = counts_[{level, routing}];
    counts.by_state[static_cast<std::size_t>(key.state)] += static_cast<std::uint64_t>(sign);
    counts.up += IsUp(key) ? static_cast<std::uint64_t>(sign) : 0;
  };
  count(CheckLevel::kBasic, RoutingKey(), row.basic);
  count(CheckLevel::kEgress, RoutingKey(), row.egress);
  for (const auto& [routing, key] : row.targets) count(CheckLevel::kTarget, routing, key);
}

template <class F>
void Health::Change(ProxyKey proxy, F&& change) {
  ProxyHealth& row = proxies_.At(proxy);
  digest_.Remove(HashOf(proxy, row));
  Count(row, -1);
  const std::vector<RoutingKey> served = ServedBy(row);
  change(row);
  NoteServed(proxy, served, ServedBy(row));
  Count(row, 1);
  digest_.Add(HashOf(proxy, row));
}

void Health::NoteServed(ProxyKey proxy, const std::vector<RoutingKey>& before, const std::vector<RoutingKey>& after) {
  if (before == after) return;
  for (const RoutingKey routing : before) {
    const auto found = serving_.find(routing);
    found->second.erase(proxy);
    if (found->second.empty()) serving_.erase(found);
  }
  for (const RoutingKey routing : after) serving_[routing].insert(proxy);
}

void Health::Apply(const ProxyAdded& event, const EntryPoint& entry) {
  ProxyHealth& row = proxies_.Insert(event.proxy, ProxyHealth{});
  row.since = entry.at;
  Count(row, 1);
  digest_.Add(HashOf(event.proxy, row));
}

// What an expired proxy was says nothing of it when it comes back.
void Health::Apply(const ProxyExpired& event, const EntryPoint& entry) {
  Change(event.proxy, [&](ProxyHealth& row) {
    row = ProxyHealth{};
    row.since = entry.at;
  });
}

void Health::Apply(const ProxyRemoved& event, const EntryPoint&) {
  const ProxyHealth& row = proxies_.At(event.proxy);
  NoteServed(event.proxy, ServedBy(row), {});
  Count(row, -1);
  digest_.Remove(HashOf(event.proxy, row));
  proxies_.Erase(event.proxy);
}

void Health::Apply(const ChecksPlanned& event, const EntryPoint&) {
  Change(event.proxy, [&](ProxyHealth& row) {
    std::vector<std::pair<RoutingKey, KeyHealth>> targets;
    for (const RoutingKey routing : event.routings) {
      const auto before = FindTarget(row.targets, routing);
      targets.emplace_back(routing, before == row.targets.end() ? KeyHealth() : before->second);
    }
    row.targets = std::move(targets);
  });
}

void Health::Apply(const CheckObserved& event, const EntryPoint& entry) {
  Change(event.proxy, [&](ProxyHealth& row) {
    KeyHealth* key = FindKey(row, event.level, event.routing);
    HOLDFAST_CHECK(key != nullptr);
    Note(*key, event, entry);
    if (event.level != CheckLevel::kEgress) return;
    if (event.anonymity != Anonymity::kUnspecified) row.anonymity = event.anonymity;
    if (!event.egress_ip.empty()) row.egress_ip = event.egress_ip;
  });
}

void Health::Apply(const HealthChanged& event, const EntryPoint&) {
  Change(event.proxy, [&](ProxyHealth& row) {
    KeyHealth* key = FindKey(row, event.level, event.routing);
    HOLDFAST_CHECK(key != nullptr);
    key->state = event.state;
  });
}

void Health::Apply(const RoutingsMarked& event, const EntryPoint&) {
  Change(event.proxy, [&](ProxyHealth& row) { row.marked = event.routings; });
}

// Counted anew from the next observation on. That it has passed once stays: the guard goes by it.
void Health::Apply(const HealthForgotten& event, const EntryPoint&) {
  for (const ProxyKey proxy : event.proxies) {
    Change(proxy, [](ProxyHealth& row) {
      row.basic.state = HealthState::kUnknown;
      row.basic.passes = row.basic.failures = row.basic.inconclusive = 0;
      row.basic.row.clear();
    });
  }
}

bool Health::Serves(ProxyKey proxy, RoutingKey routing) const {
  const ProxyHealth& row = proxies_.At(proxy);
  const auto found = FindTarget(row.targets, routing);
  return found != row.targets.end() && PassesTarget(row, routing, found->second);
}

const absl::btree_set<ProxyKey>& Health::serving(RoutingKey routing) const {
  static const absl::btree_set<ProxyKey> kNone;
  const auto found = serving_.find(routing);
  return found == serving_.end() ? kNone : found->second;
}

std::uint64_t Health::count(CheckLevel level, RoutingKey routing, HealthState state) const {
  const auto found = counts_.find({level, routing});
  return found == counts_.end() ? 0 : found->second.by_state[static_cast<std::size_t>(state)];
}

std::uint64_t Health::up(CheckLevel level, RoutingKey routing) const {
  const auto found = counts_.find({level, routing});
  return found == counts_.end() ? 0 : found->second.up;
}

}  // namespace holdfast
