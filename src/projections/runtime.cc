#include "projections/runtime.h"

#include "base/check.h"

namespace holdfast {
namespace {

// Counters are hashed one by one, the rest of the row as one: a report costs what it changes.
Digest HashOf(WorkerKey worker, ProxyKey proxy, const Counters& counters) {
  return RowHasher(7)
      .Number(worker.value())
      .Number(proxy.value())
      .Number(counters.active)
      .Number(counters.reserved)
      .Finish();
}

Digest HashOf(WorkerKey worker, const RuntimeRow& row) {
  RowHasher hash(8);
  hash.Number(worker.value()).Number(row.report_sequence).Number(row.queued).Number(row.inflight);
  return hash.Number(ToMicros(row.reported_at)).Number(ToMicros(row.fresh_until)).Finish();
}

}  // namespace

void Runtime::Apply(const SettingsChanged& event, const EntryPoint&) { runtime_ttl_ = event.settings.runtime_ttl; }

void Runtime::Apply(const ClockAccepted& event, const EntryPoint&) {
  for (WorkerKey key = workers_.NextKey(WorkerKey(1)); key.value() != 0; key = workers_.NextKey(Next(key))) {
    RuntimeRow& row = workers_.At(key);
    if (row.report_sequence == 0) continue;
    digest_.Remove(HashOf(key, row));
    row.reported_at += event.moved;
    row.fresh_until += event.moved;
    digest_.Add(HashOf(key, row));
  }
}

void Runtime::Reset(WorkerKey worker) {
  RuntimeRow& row = workers_.At(worker);
  digest_.Remove(HashOf(worker, row));
  for (const auto& [proxy, counters] : row.counters) digest_.Remove(HashOf(worker, proxy, counters));
  row = RuntimeRow{};
  digest_.Add(HashOf(worker, row));
}

void Runtime::Apply(const SessionOpened& event, const EntryPoint&) {
  if (workers_.Find(event.worker) == nullptr) {
    digest_.Add(HashOf(event.worker, workers_.Insert(event.worker, RuntimeRow{})));
  }
  Reset(event.worker);
}

void Runtime::Apply(const SessionClosed& event, const EntryPoint&) { Reset(event.worker); }

void Runtime::Apply(const RuntimeAccepted& event, const EntryPoint& entry) {
  RuntimeRow& row = workers_.At(event.worker);
  HOLDFAST_CHECK(event.report_sequence > row.report_sequence && event.proxies.size() == event.active.size() &&
                 event.proxies.size() == event.reserved.size());
  digest_.Remove(HashOf(event.worker, row));
  for (std::size_t i = 0; i < event.proxies.size(); ++i) {
    const ProxyKey proxy = event.proxies[i];
    const Counters now{event.active[i], event.reserved[i]};
    const auto found = row.counters.find(proxy);
    if (found != row.counters.end()) {
      digest_.Remove(HashOf(event.worker, proxy, found->second));
      row.inflight -= found->second.active + found->second.reserved;
    }
    if (now == Counters{}) {
      if (found != row.counters.end()) row.counters.erase(found);
      continue;
    }
    row.inflight += now.active + now.reserved;
    digest_.Add(HashOf(event.worker, proxy, now));
    if (found != row.counters.end()) {
      found->second = now;
    } else {
      row.counters.emplace(proxy, now);
    }
  }
  row.report_sequence = event.report_sequence;
  row.content_hash = event.content_hash;
  row.queued = event.queued;
  row.reported_at = entry.at;
  row.fresh_until = entry.at + runtime_ttl_;
  ignored_ += event.ignored;
  digest_.Add(HashOf(event.worker, row));
}

}  // namespace holdfast
