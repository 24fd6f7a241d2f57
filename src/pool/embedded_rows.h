// The rows of the embedded store, and what a write does to them.
//
// Owned by EmbeddedStore. Thread: the store's. Promises: the same outcome as the scripts of the Redis store, row by
// row. Does not know order, epochs or resyncs.

#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/boot_clock.h"
#include "pool/pool_store.h"

namespace holdfast::pool {

class EmbeddedRows {
 public:
  EmbeddedRows(const BootClock& clock, std::size_t owned_limit) : clock_(clock), owned_limit_(owned_limit) {}

  void Put(const Write& write, RowCounts& counts);

  // Whether it is unowned, and AVAILABLE.
  bool MayExtract(std::string_view address) const;
  // Requires: MayExtract.
  void Extract(std::string_view address, const ExtractRequest& request);

  // Removes about `limit` rows; the number removed, 0 when nothing is left.
  std::size_t Clear(std::size_t limit);

  ScanSlice Scan(const ScanRequest& request);

 private:
  struct Session {
    SessionRow row;
    std::int64_t ends_micros = 0;  // on the boot clock
  };
  using Addresses = absl::btree_map<std::string, AddressRow, std::less<>>;
  using Owned = std::map<std::string, absl::btree_set<std::string>, std::less<>>;

  void PutOne(const AddressWrite& write, RowCounts& counts);
  void PutOne(const AddressRemoval& removal, RowCounts& counts);
  void PutOne(const ProxyRow& row, RowCounts&) { proxies_.insert_or_assign(row.id, row); }
  void PutOne(const ProxyRemoval& removal, RowCounts&) { proxies_.erase(removal.id); }
  void PutOne(const SessionRow& row, RowCounts&);
  void PutOne(const SessionRemoval& removal, RowCounts&) { sessions_.erase(removal.worker); }

  void LeaveIndex(const AddressRow& row, std::string_view new_owner, std::string_view previous, RowCounts& counts);
  void JoinIndex(const AddressRow& row, RowCounts& counts);

  const BootClock& clock_;
  const std::size_t owned_limit_;
  Addresses addresses_;
  absl::btree_map<std::string, ProxyRow, std::less<>> proxies_;
  absl::btree_map<std::string, Session, std::less<>> sessions_;
  Owned owned_;  // by worker
};

}  // namespace holdfast::pool
