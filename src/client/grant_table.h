// The grants of one view: an immutable table in shards, so that a changed table shares every shard that it did not
// touch with the one before, and a delta costs about its own size.
//
// Built by the client's thread with GrantTableBuilder, read by any thread. Rows of a shard ascend by proxy_id; the
// order over shards is that of a hash and means nothing.

#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "client/grant_row.h"

namespace holdfast::client {

class GrantTable {
 public:
  static constexpr std::size_t kShards = 64;
  struct Shard {
    std::vector<GrantRowPointer> rows;
    LogTime earliest_expiry = LogTime::max();
  };

  // Null where the proxy is not listed.
  const GrantRow* Find(std::string_view proxy_id) const;
  GrantRowPointer FindShared(std::string_view proxy_id) const;

  std::size_t size() const { return size_; }
  const HashSum& sum() const { return sum_; }
  // The earliest expires_at of all rows; LogTime::max() when empty.
  LogTime EarliestExpiry() const;

  template <class Visitor>
  void ForEach(const Visitor& visitor) const {
    for (const auto& shard : shards_) {
      if (!shard) continue;
      for (const GrantRowPointer& row : shard->rows) visitor(row);
    }
  }

  // For the request path: offers every row once, in no meaningful order, beginning with row number `start`, until
  // `accept` says true. Requires: start < size().
  template <class Accept>
  void FindFrom(std::size_t start, const Accept& accept) const {
    if (FindIn(start, size_, accept)) return;
    FindIn(0, start, accept);
  }

 private:
  friend class GrantTableBuilder;

  template <class Accept>
  bool FindIn(std::size_t from, std::size_t to, const Accept& accept) const {
    std::size_t before = 0;
    for (const auto& shard : shards_) {
      const std::size_t count = shard ? shard->rows.size() : 0;
      for (std::size_t i = from > before ? from - before : 0; i < count && before + i < to; ++i) {
        if (accept(shard->rows[i])) return true;
      }
      before += count;
    }
    return false;
  }

  std::array<std::shared_ptr<const Shard>, kShards> shards_;
  std::size_t size_ = 0;
  HashSum sum_;
};

// Makes a new table from an old one. One use; not thread-safe.
class GrantTableBuilder {
 public:
  explicit GrantTableBuilder(const GrantTable& base);

  void Upsert(GrantRowPointer row);
  // False where it is not listed.
  bool Remove(std::string_view proxy_id);
  // As the table would be now.
  std::size_t size() const { return table_->size_; }

  std::shared_ptr<const GrantTable> Build();

 private:
  GrantTable::Shard& Writable(std::size_t shard);

  std::shared_ptr<GrantTable> table_;
  std::array<std::shared_ptr<GrantTable::Shard>, GrantTable::kShards> copies_;
};

}  // namespace holdfast::client
