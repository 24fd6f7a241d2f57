// Events of snapshots, runtime reports and outcomes. Each: written when, meaning of fields, who folds it:
// docs/event_catalog.md.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/log_time.h"
#include "events/vocabulary.h"

namespace holdfast {

using Checksum = std::array<std::uint8_t, 32>;
using ContentHash = std::array<std::uint8_t, 16>;

struct SnapshotIssued {
  static constexpr std::uint32_t kNumber = 40;
  static constexpr std::string_view kName = "snapshot_issued";
  WorkerKey worker;
  Version version;
  Version base;  // 0: a full one
  Epoch epoch;
  LogTime valid_until;
  Checksum checksum{};     // of the content after it
  Checksum content_sum{};  // S of the checksum, little-endian
  std::uint64_t routings_revision = 0;
  std::vector<ProxyKey> upserted;    // new or changed against what was issued before
  std::vector<GrantState> states;    // of each of them
  std::vector<ProxyKey> removed;     // no longer listed
  std::vector<AddressKey> shown;     // addresses that the content newly holds
  std::vector<AddressKey> dropped;   // addresses that it no longer holds
  bool partial = false;              // more follows
  std::vector<AddressKey> deferred;  // whose change has to wait for a later update
  std::vector<AddressKey> draining;  // shown DRAINING for the first time: this version is their target
  friend bool operator==(const SnapshotIssued&, const SnapshotIssued&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.version);
    field(3, self.base);
    field(4, self.epoch);
    field(5, self.valid_until);
    field(6, self.checksum);
    field(7, self.content_sum);
    field(8, self.routings_revision);
    field(9, self.upserted);
    field(10, self.states);
    field(11, self.removed);
    field(12, self.shown);
    field(13, self.dropped);
    field(14, self.partial);
    field(15, self.deferred);
    field(16, self.draining);
  }
};

struct SnapshotAcknowledged {
  static constexpr std::uint32_t kNumber = 41;
  static constexpr std::string_view kName = "snapshot_acknowledged";
  WorkerKey worker;
  Version version;
  friend bool operator==(const SnapshotAcknowledged&, const SnapshotAcknowledged&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.version);
  }
};

struct SnapshotRefused {
  static constexpr std::uint32_t kNumber = 42;
  static constexpr std::string_view kName = "snapshot_refused";
  WorkerKey worker;
  Version version;
  SnapshotRefusal refusal{};
  std::string detail;
  friend bool operator==(const SnapshotRefused&, const SnapshotRefused&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.version);
    field(3, self.refusal);
    field(4, self.detail);
  }
};

struct UpdateAbandoned {
  static constexpr std::uint32_t kNumber = 43;
  static constexpr std::string_view kName = "update_abandoned";
  WorkerKey worker;
  Version version;
  friend bool operator==(const UpdateAbandoned&, const UpdateAbandoned&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.version);
  }
};

struct RuntimeAccepted {
  static constexpr std::uint32_t kNumber = 44;
  static constexpr std::string_view kName = "runtime_accepted";
  WorkerKey worker;
  std::uint64_t report_sequence = 0;
  ContentHash content_hash{};
  // Against the report before: proxies whose counters differ, and their new values. Both zero: no longer listed.
  std::vector<ProxyKey> proxies;
  std::vector<std::uint32_t> active;
  std::vector<std::uint32_t> reserved;
  std::uint64_t queued = 0;
  std::uint32_t ignored = 0;  // counters for proxies that are not its own
  friend bool operator==(const RuntimeAccepted&, const RuntimeAccepted&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.report_sequence);
    field(3, self.content_hash);
    field(4, self.proxies);
    field(5, self.active);
    field(6, self.reserved);
    field(7, self.queued);
    field(8, self.ignored);
  }
};

struct OutcomesAccepted {
  static constexpr std::uint32_t kNumber = 45;
  static constexpr std::string_view kName = "outcomes_accepted";
  WorkerKey worker;
  std::uint64_t sequence = 0;
  std::uint32_t counted = 0;
  std::uint32_t ignored = 0;  // for proxies unknown or not its own
  std::uint64_t dropped_total = 0;
  // What it says of each (proxy, routing), as columns. routing 0: all outcomes of the proxy, failed on the way to it;
  // else those of that routing, failed behind it.
  std::vector<ProxyKey> proxies;
  std::vector<RoutingKey> routings;
  std::vector<std::uint32_t> counts;  // the latest that are no cancellations, at most 32
  std::vector<std::uint32_t> failed;  // bit n: the n-th latest of these failed
  friend bool operator==(const OutcomesAccepted&, const OutcomesAccepted&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.sequence);
    field(3, self.counted);
    field(4, self.ignored);
    field(5, self.dropped_total);
    field(6, self.proxies);
    field(7, self.routings);
    field(8, self.counts);
    field(9, self.failed);
  }
};

}  // namespace holdfast
