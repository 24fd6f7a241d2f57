#include "client/grant_table.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace holdfast::client {
namespace {

std::size_t ShardOf(std::string_view proxy_id) { return std::hash<std::string_view>{}(proxy_id) % GrantTable::kShards; }

template <class Rows>
auto LowerBound(Rows& rows, std::string_view proxy_id) {
  return std::lower_bound(rows.begin(), rows.end(), proxy_id, [](const GrantRowPointer& row, std::string_view id) {
    return std::string_view(row->id()) < id;
  });
}

}  // namespace

GrantRowPointer GrantTable::FindShared(std::string_view proxy_id) const {
  const auto& shard = shards_[ShardOf(proxy_id)];
  if (!shard) return nullptr;
  const auto position = LowerBound(shard->rows, proxy_id);
  return position != shard->rows.end() && (*position)->id() == proxy_id ? *position : nullptr;
}

const GrantRow* GrantTable::Find(std::string_view proxy_id) const {
  // The shard keeps the row alive for as long as this table lives.
  return FindShared(proxy_id).get();
}

LogTime GrantTable::EarliestExpiry() const {
  LogTime earliest = LogTime::max();
  for (const auto& shard : shards_) {
    if (shard) earliest = std::min(earliest, shard->earliest_expiry);
  }
  return earliest;
}

GrantTableBuilder::GrantTableBuilder(const GrantTable& base) : table_(std::make_shared<GrantTable>(base)) {}

GrantTable::Shard& GrantTableBuilder::Writable(std::size_t shard) {
  if (!copies_[shard]) {
    const auto& shared = table_->shards_[shard];
    copies_[shard] = shared ? std::make_shared<GrantTable::Shard>(*shared) : std::make_shared<GrantTable::Shard>();
    table_->shards_[shard] = copies_[shard];
  }
  return *copies_[shard];
}

void GrantTableBuilder::Upsert(GrantRowPointer row) {
  auto& rows = Writable(ShardOf(row->id())).rows;
  const auto position = LowerBound(rows, row->id());
  table_->sum_.Add(row->hash);
  if (position != rows.end() && (*position)->id() == row->id()) {
    table_->sum_.Subtract((*position)->hash);
    *position = std::move(row);
    return;
  }
  rows.insert(position, std::move(row));
  ++table_->size_;
}

bool GrantTableBuilder::Remove(std::string_view proxy_id) {
  auto& rows = Writable(ShardOf(proxy_id)).rows;
  const auto position = LowerBound(rows, proxy_id);
  if (position == rows.end() || (*position)->id() != proxy_id) return false;
  table_->sum_.Subtract((*position)->hash);
  rows.erase(position);
  --table_->size_;
  return true;
}

std::shared_ptr<const GrantTable> GrantTableBuilder::Build() {
  for (const auto& copy : copies_) {
    if (!copy) continue;
    copy->earliest_expiry = LogTime::max();
    for (const GrantRowPointer& row : copy->rows) {
      copy->earliest_expiry = std::min(copy->earliest_expiry, row->expires_at);
    }
  }
  return std::move(table_);
}

}  // namespace holdfast::client
