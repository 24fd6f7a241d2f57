// Ended ownership periods as rows beside the blocks: by proxy and by worker or client, each in the order of their
// grants.
//
// Thread: plain functions. Also used by the replay tool, which makes the rows again and compares.

#pragma once

#include <absl/status/statusor.h>

#include <string_view>
#include <vector>

#include "events/event_log.h"
#include "projections/audit.h"

namespace holdfast {

void AppendPeriodRows(const OwnershipPeriod& period, std::vector<SideRow>& rows);

// DataLoss: not a stored period.
absl::StatusOr<OwnershipPeriod> ReadPeriodRow(std::string_view value);

}  // namespace holdfast
