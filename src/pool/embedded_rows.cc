#include "pool/embedded_rows.h"

#include <utility>

#include "base/check.h"

namespace holdfast::pool {
namespace {

// An extraction is ended by its own id alone (A release that comes late must not free what is another's by now).
bool IsOfAnother(const AddressRow& there, std::string_view ends, std::string_view goes_on) {
  if (there.state != AddressState::kExtracted) return false;
  return there.extraction_id != ends && there.extraction_id != goes_on;
}

// Gives rows after the cursor to `take` until it has taken `limit`; the cursor of the next slice.
template <class Map, class Take>
std::string Walk(const Map& rows, const ScanRequest& request, Take&& take) {
  auto row = request.cursor.empty() ? rows.begin() : rows.upper_bound(request.cursor);
  std::string last;
  for (std::size_t taken = 0; row != rows.end() && taken < request.limit; ++row, ++taken) {
    if constexpr (requires { row->first; }) {
      last = row->first;
      take(row->second);
    } else {
      last = *row;
      take(*row);
    }
  }
  return row == rows.end() ? "" : last;
}

template <class Map>
std::size_t EraseFront(Map& rows, std::size_t limit) {
  std::size_t erased = 0;
  auto end = rows.begin();
  for (; end != rows.end() && erased < limit; ++end) ++erased;
  rows.erase(rows.begin(), end);
  return erased;
}

}  // namespace

void EmbeddedRows::Put(const Write& write, RowCounts& counts) {
  std::visit([&](const auto& one) { PutOne(one, counts); }, write);
}

void EmbeddedRows::PutOne(const AddressWrite& write, RowCounts& counts) {
  const AddressRow& row = write.row;
  const auto there = addresses_.find(row.id);
  if (there != addresses_.end()) {
    if (IsOfAnother(there->second, write.ends_extraction, row.extraction_id)) {
      ++counts.refused;
      return;
    }
    LeaveIndex(there->second, row.owner, write.previous_owner, counts);
  }
  if (!row.owner.empty()) JoinIndex(row, counts);
  addresses_.insert_or_assign(row.id, row);
}

void EmbeddedRows::PutOne(const AddressRemoval& removal, RowCounts& counts) {
  const auto there = addresses_.find(removal.id);
  if (there == addresses_.end()) return;
  if (IsOfAnother(there->second, removal.ends_extraction, "")) {
    ++counts.refused;
    return;
  }
  LeaveIndex(there->second, "", removal.previous_owner, counts);
  addresses_.erase(there);
}

void EmbeddedRows::PutOne(const SessionRow& row, RowCounts&) {
  sessions_.insert_or_assign(row.worker, Session{row, clock_.Micros() + row.ttl.count()});
}

void EmbeddedRows::LeaveIndex(const AddressRow& row, std::string_view new_owner, std::string_view previous,
                              RowCounts& counts) {
  if (row.owner.empty() || row.owner == new_owner) return;
  if (row.owner != previous) {
    ++counts.strays;
    return;
  }
  const auto index = owned_.find(row.owner);
  if (index == owned_.end()) return;
  index->second.erase(row.id);
  if (index->second.empty()) owned_.erase(index);
}

void EmbeddedRows::JoinIndex(const AddressRow& row, RowCounts& counts) {
  auto& index = owned_[row.owner];
  if (!index.insert(row.id).second || index.size() <= owned_limit_) return;
  index.erase(row.id);
  ++counts.unindexed;
}

bool EmbeddedRows::MayExtract(std::string_view address) const {
  const auto there = addresses_.find(address);
  return there != addresses_.end() && there->second.state == AddressState::kUnowned && there->second.available_until;
}

void EmbeddedRows::Extract(std::string_view address, const ExtractRequest& request) {
  const auto there = addresses_.find(address);
  HOLDFAST_CHECK(there != addresses_.end());
  AddressRow& row = there->second;
  row.state = AddressState::kExtracted;
  row.available_until.reset();
  row.extraction_id = request.extraction_id;
  row.extracted_until = request.extracted_until;
  row.sequence = request.sequence;
}

std::size_t EmbeddedRows::Clear(std::size_t limit) {
  std::size_t removed = EraseFront(addresses_, limit);
  if (removed < limit) removed += EraseFront(proxies_, limit - removed);
  if (removed < limit) removed += EraseFront(sessions_, limit - removed);
  if (removed < limit) removed += EraseFront(owned_, limit - removed);
  return removed;
}

ScanSlice EmbeddedRows::Scan(const ScanRequest& request) {
  ScanSlice slice;
  switch (request.kind) {
    case ScanKind::kAddresses:
      slice.cursor = Walk(addresses_, request, [&](const AddressRow& row) { slice.addresses.push_back(row); });
      break;
    case ScanKind::kProxies:
      slice.cursor = Walk(proxies_, request, [&](const ProxyRow& row) { slice.proxies.push_back(row); });
      break;
    case ScanKind::kSessions: {
      const std::int64_t now = clock_.Micros();
      absl::erase_if(sessions_, [&](const auto& entry) { return entry.second.ends_micros <= now; });
      slice.cursor = Walk(sessions_, request, [&](const Session& session) {
        slice.sessions.push_back(session.row);
        slice.sessions.back().ttl = Duration(session.ends_micros - now);
      });
      break;
    }
    case ScanKind::kAvailable:
      slice.cursor = Walk(addresses_, request, [&](const AddressRow& row) {
        if (row.available_until) slice.available.push_back({row.id, *row.available_until});
      });
      break;
    case ScanKind::kOwners: {
      const auto after = request.cursor.empty() ? owned_.begin() : owned_.upper_bound(request.cursor);
      auto index = after;
      for (; index != owned_.end() && slice.owners.size() < request.limit; ++index)
        slice.owners.push_back(index->first);
      if (index != owned_.end()) slice.cursor = slice.owners.back();
      break;
    }
    case ScanKind::kOwned:
      if (const auto index = owned_.find(request.worker); index != owned_.end()) {
        slice.cursor =
            Walk(index->second, request, [&](const std::string& address) { slice.owned.push_back(address); });
      }
      break;
  }
  return slice;
}

}  // namespace holdfast::pool
