// The store against the state, row by row, while both go on.
//
//   addresses ─► proxies ─► available ─► owners ─► sessions ─► what the store lacks ─► finished
//
// Steps are made between two turns of the projector, so that the store stands where it was brought last: what has
// changed since then (the feed says what) is not compared. Thread: the projector's. Promises: each step is one slice;
// what is reported differed at that moment and was not on its way. Does not: write, or see a row that came and went
// while it ran.

#pragma once

#include <absl/container/flat_hash_set.h>
#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "pool/pool_store.h"
#include "pool/projector.h"

namespace holdfast::pool {

struct Difference {
  enum class Kind : std::uint8_t { kAddress, kProxy, kSession };
  Kind kind = Kind::kAddress;
  std::string id;     // of the row
  std::string field;  // "row": it is there or not
  std::string in_projection;
  std::string in_store;
  friend bool operator==(const Difference&, const Difference&) = default;
};

class Comparison {
 public:
  static constexpr std::size_t kMostDifferences = 10'000;

  // Requires: the projector is READY and has nothing that is taken and not written. False: finished.
  absl::StatusOr<bool> Step(PoolStore& store, StateSource& source, Duration patience);

  // Those found since the last call.
  std::vector<Difference> Take();
  bool truncated() const { return truncated_; }
  std::uint64_t compared() const { return compared_; }
  std::uint64_t total() const { return total_; }  // rows of the projection, at the beginning

 private:
  enum class Stage : std::uint8_t {
    kBegin,
    kAddresses,
    kProxies,
    kAvailable,
    kOwners,
    kOwned,
    kSessions,
    kMissing,
    kFinished
  };

  void Begin(const ControllerState& state, Feed& feed);
  absl::Status Scan(PoolStore& store, StateSource& source, Duration patience);
  void NoteFrozen(Feed& feed);
  void CompareSlice(const ControllerState& state, Feed& feed, const ScanSlice& slice);
  void CompareAddress(const ControllerState& state, Feed& feed, const AddressRow& row);
  void CompareProxy(const ControllerState& state, Feed& feed, const ProxyRow& row);
  void CompareOwned(const ControllerState& state, Feed& feed, const std::string& address);
  void CompareSession(const ControllerState& state, const SessionRow& row);
  void FindMissing(const ControllerState& state, Feed& feed);
  bool IsSettled(const ControllerState& state, Feed& feed, AddressKey address) const;
  bool IsSettled(const ControllerState& state, Feed& feed, ProxyKey proxy) const;
  void Add(Difference::Kind kind, const std::string& id, std::string field, std::string here, std::string there);
  void NextStage();

  Stage stage_ = Stage::kBegin;
  std::string cursor_;
  std::vector<std::string> owners_;          // whose index is still to be read; the last is under way
  absl::flat_hash_set<std::string> frozen_;  // ids of rows that wait to be written, at this slice
  // By key: what the scan has given, and what was on its way when it began.
  std::vector<bool> seen_addresses_, seen_proxies_, skipped_addresses_, skipped_proxies_;
  std::vector<WorkerKey> indexed_;  // by address key: in whose index it is
  AddressKey next_address_{1};      // of the walk over what is missing, and its ends
  ProxyKey next_proxy_{1};
  AddressKey end_address_;
  ProxyKey end_proxy_;
  std::vector<Difference> found_;
  std::uint64_t reported_ = 0;
  bool truncated_ = false;
  std::uint64_t compared_ = 0, total_ = 0;
};

}  // namespace holdfast::pool
