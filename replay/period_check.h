// The rows of ownership_periods, against what the events give: every row that a block wrote must be there, as it was,
// and none that no block wrote.
//
// Called with the ended periods of each block, then once with the log. Thread: one at a time. Costs some 32 bytes a row
// of memory: it keeps hashes of the rows, not the rows.

#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "events/event_log.h"
#include "projections/audit.h"
#include "replay/finding.h"

namespace holdfast::replay {

class PeriodCheck {
 public:
  // What a block ended.
  void Expect(const std::vector<OwnershipPeriod>& ended);

  // Compares with the rows of blocks up to `last`; later ones belong to a writer that goes on. The finding with the
  // lowest sequence, or nullopt. A Status: the rows could not be read.
  absl::StatusOr<std::optional<Finding>> Compare(const EventLog& log, Sequence last);

  std::uint64_t rows() const { return rows_; }

 private:
  struct Expected {
    std::uint64_t value_hash = 0;
    Sequence ended;
  };
  void CompareRow(const SideRow& row, Sequence last);
  void Found(Sequence sequence, std::string text);

  absl::flat_hash_map<std::uint64_t, Expected> expected_;  // by hash of the key; what was met is taken out
  std::uint64_t rows_ = 0;
  std::optional<Finding> finding_;
};

}  // namespace holdfast::replay
