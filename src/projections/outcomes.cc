#include "projections/outcomes.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace holdfast {
namespace {

Digest HashOf(WorkerKey worker, const OutcomeRow& row) {
  RowHasher hash(9);
  hash.Number(worker.value()).Number(row.sequence).Number(row.counted).Number(row.ignored).Number(row.dropped_total);
  return hash.Finish();
}

Digest HashOf(ProxyKey proxy, const OutcomeTrail& trail) {
  RowHasher hash(18);
  hash.Number(proxy.value()).Number(trail.routing.value());
  for (const OutcomeSample& sample : trail.samples) {
    hash.Number(ToMicros(sample.at)).Number(sample.count).Number(sample.failed);
  }
  return hash.Finish();
}

void Append(OutcomeTrail& trail, const OutcomeSample& sample) {
  trail.samples.push_back(sample);
  std::uint32_t newer = 0;
  auto oldest = trail.samples.end();
  while (oldest != trail.samples.begin() && newer < Outcomes::kMostKept) newer += (--oldest)->count;
  trail.samples.erase(trail.samples.begin(), oldest);
}

template <class Trails>
auto FindTrail(Trails& trails, RoutingKey routing) {
  return std::find_if(trails.begin(), trails.end(), [&](const auto& trail) { return trail.routing == routing; });
}

}  // namespace

OutcomeTally TallyOf(const std::vector<OutcomeSample>& samples, LogTime since, std::uint32_t most) {
  OutcomeTally tally;
  for (auto sample = samples.rbegin(); sample != samples.rend() && tally.count < most; ++sample) {
    if (sample->at <= since) break;
    const std::uint32_t count = std::min(sample->count, most - tally.count);
    const std::uint32_t mask = count >= 32 ? ~0u : (1u << count) - 1;
    tally.count += count;
    tally.failed += static_cast<std::uint32_t>(std::popcount(sample->failed & mask));
  }
  return tally;
}

void Outcomes::Apply(const SessionOpened& event, const EntryPoint&) {
  if (workers_.Find(event.worker) == nullptr) {
    digest_.Add(HashOf(event.worker, workers_.Insert(event.worker, OutcomeRow{})));
  }
  OutcomeRow& row = workers_.At(event.worker);
  digest_.Remove(HashOf(event.worker, row));
  row.dropped_total = 0;
  digest_.Add(HashOf(event.worker, row));
}

void Outcomes::Apply(const OutcomesAccepted& event, const EntryPoint& entry) {
  OutcomeRow& row = workers_.At(event.worker);
  HOLDFAST_CHECK(event.sequence > row.sequence);
  digest_.Remove(HashOf(event.worker, row));
  row.sequence = event.sequence;
  row.counted += event.counted;
  row.ignored += event.ignored;
  row.dropped_total = event.dropped_total;
  digest_.Add(HashOf(event.worker, row));
  for (std::size_t i = 0; i < event.proxies.size(); ++i) {
    const ProxyKey proxy = event.proxies[i];
    std::vector<OutcomeTrail>* trails = trails_.Find(proxy);
    if (trails == nullptr) trails = &trails_.Insert(proxy, {});
    auto trail = FindTrail(*trails, event.routings[i]);
    if (trail == trails->end()) {
      trail = trails->insert(trail, OutcomeTrail{event.routings[i], {}});
    } else {
      digest_.Remove(HashOf(proxy, *trail));
    }
    Append(*trail, {entry.at, event.counts[i], event.failed[i]});
    digest_.Add(HashOf(proxy, *trail));
  }
}

// What has made it SUSPECT is spent: it takes as much again to do so once more.
void Outcomes::Apply(const HealthChanged& event, const EntryPoint&) {
  if (event.checker.value() != 0) return;
  std::vector<OutcomeTrail>* trails = trails_.Find(event.proxy);
  if (trails == nullptr) return;
  const auto trail = FindTrail(*trails, event.routing);
  if (trail == trails->end()) return;
  digest_.Remove(HashOf(event.proxy, *trail));
  trails->erase(trail);
}

void Outcomes::Apply(const ProxyRemoved& event, const EntryPoint&) {
  const std::vector<OutcomeTrail>* trails = trails_.Find(event.proxy);
  if (trails == nullptr) return;
  for (const OutcomeTrail& trail : *trails) digest_.Remove(HashOf(event.proxy, trail));
  trails_.Erase(event.proxy);
}

const OutcomeTrail* Outcomes::Trail(ProxyKey proxy, RoutingKey routing) const {
  const std::vector<OutcomeTrail>* trails = trails_.Find(proxy);
  if (trails == nullptr) return nullptr;
  const auto found = FindTrail(*trails, routing);
  return found == trails->end() ? nullptr : &*found;
}

}  // namespace holdfast
