#include "pool/batch_parts.h"

#include <utility>

#include "base/check.h"
#include "pool/check.h"

namespace holdfast::pool {

std::vector<Batch> SplitBatch(Batch batch) {
  constexpr std::size_t kRoom = kMaxKeys - kSharedKeys;
  HOLDFAST_CHECK(batch.part == 0 && batch.last_part && batch.settled.size() <= kRoom);
  std::vector<Write> writes = std::move(batch.writes);
  batch.writes.clear();
  std::vector<Settled> settled = std::move(batch.settled);
  batch.settled.clear();

  std::vector<Batch> parts{batch};
  KeyCount keys;
  const auto begin_part = [&] {
    parts.back().last_part = false;
    parts.push_back(batch);
    parts.back().part = static_cast<std::uint32_t>(parts.size() - 1);
    keys = KeyCount();
  };
  for (Write& write : writes) {
    if (keys.count() + keys.Added(write) > kRoom) begin_part();
    keys.Add(write);
    parts.back().writes.push_back(std::move(write));
  }
  if (keys.count() + settled.size() > kRoom) begin_part();
  parts.back().settled = std::move(settled);
  return parts;
}

}  // namespace holdfast::pool
