// What workers say is running: the counters of each worker's latest accepted report. A counter is used only while
// session, runtime TTL, ownership and epoch all hold; who reads it looks (controller/capacity.h).
//
// Thread: the state's owner.

#pragma once

#include <absl/container/btree_map.h>

#include <cstdint>

#include "events/run_events.h"
#include "events/session_events.h"
#include "events/snapshot_events.h"
#include "projections/projection.h"
#include "projections/row_table.h"

namespace holdfast {

struct Counters {
  std::uint32_t active = 0;
  std::uint32_t reserved = 0;
  friend bool operator==(const Counters&, const Counters&) = default;
};

struct RuntimeRow {
  std::uint64_t report_sequence = 0;  // 0: no report in this session
  ContentHash content_hash{};
  absl::btree_map<ProxyKey, Counters> counters;  // those that are not zero
  std::uint64_t inflight = 0;                    // active and reserved of all of them
  std::uint64_t queued = 0;
  LogTime reported_at;
  LogTime fresh_until;  // reported_at + runtime_ttl
};

class Runtime {
 public:
  static constexpr std::uint32_t kVersion = 1;

  void Apply(const SettingsChanged& event, const EntryPoint& entry);
  void Apply(const ClockAccepted& event, const EntryPoint& entry);
  void Apply(const SessionOpened& event, const EntryPoint& entry);
  void Apply(const SessionClosed& event, const EntryPoint& entry);
  void Apply(const RuntimeAccepted& event, const EntryPoint& entry);

  const RuntimeRow& At(WorkerKey worker) const { return workers_.At(worker); }
  std::uint64_t ignored() const { return ignored_; }
  Digest digest() const { return digest_; }

 private:
  void Reset(WorkerKey worker);

  Duration runtime_ttl_{};
  RowTable<WorkerKey, RuntimeRow> workers_;
  std::uint64_t ignored_ = 0;
  Digest digest_;
};

}  // namespace holdfast
