// What a well-formed call of the pool store is: the same for every store, asked before anything is sent.
//
// Called by the stores. Thread: pure functions. Promises: a status that is not OK is WrongRequest, and says which call
// broke what. Does not know what the store holds.

#pragma once

#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>

#include <span>
#include <string>
#include <string_view>

#include "pool/pool_store.h"

namespace holdfast::pool {

// Scores of the index of available addresses are doubles in Redis: exact below this.
inline constexpr std::int64_t kTimeLimitMicros = std::int64_t{1} << 53;
// Kept free in a batch for keys that every one needs, and for answers that are to be forgotten.
inline constexpr std::size_t kSharedKeys = 20;

// Counts the keys that writes touch, each worker's index once.
class KeyCount {
 public:
  // The keys that `write` would add.
  std::size_t Added(const Write& write) const;
  void Add(const Write& write);
  std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;
  absl::flat_hash_set<std::string> workers_;
};

// Each write well formed, and no more keys than one call carries.
absl::Status CheckBatch(const Batch& batch);
// Each write well formed; any number of them.
absl::Status CheckRows(std::span<const Write> rows);
absl::Status CheckExtract(const ExtractRequest& request);
absl::Status CheckCancel(const CancelRequest& request);
absl::Status CheckCall(const Call& call);
absl::Status CheckStart(const ResyncStart& start);
absl::Status CheckScan(const ScanRequest& request);

}  // namespace holdfast::pool
