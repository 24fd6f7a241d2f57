// What of the pool has changed between two entries, read back from the log.
//
// Called by the projector when the store lacks entries that are not at hand any more (a start, a fail-over). Thread:
// any. Errors: the log cannot be read; or, DataLoss, it does not hold what is asked for.

#pragma once

#include <absl/status/statusor.h>

#include "events/event_log.h"
#include "pool/changes.h"

namespace holdfast::server {

// Of the entries after `after`, up to `upto`.
absl::StatusOr<pool::Changes> ReadPoolTail(const EventLog& log, Sequence after, Sequence upto);

}  // namespace holdfast::server
