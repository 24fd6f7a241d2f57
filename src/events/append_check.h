// What every event log checks before it writes a block, whatever stands behind it.
//
// Called within Append. Thread: pure functions.

#pragma once

#include <absl/status/statusor.h>

#include <array>
#include <cstdint>
#include <optional>

#include "events/block.h"
#include "events/event_log.h"

namespace holdfast {

using LogId = std::array<std::uint8_t, 16>;

// The block's header. FailedPrecondition: the log has moved on (or the writer has), or the block is of another log;
// InvalidArgument: the request contradicts itself or its block is malformed. `log_id`: nullopt while the log is empty.
absl::StatusOr<BlockHeader> CheckAppend(const AppendRequest& request, Sequence tip, const std::optional<LogId>& log_id);

}  // namespace holdfast
