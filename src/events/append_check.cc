#include "events/append_check.h"

#include <absl/strings/str_cat.h>

#include "events/block_view.h"

namespace holdfast {

absl::StatusOr<BlockHeader> CheckAppend(const AppendRequest& request, Sequence tip,
                                        const std::optional<LogId>& log_id) {
  const std::uint64_t first = request.first.value();
  const std::uint64_t last = request.last.value();
  if (request.follows != tip) {
    return absl::FailedPreconditionError(absl::StrCat("block ", first, " to ", last, " was decided after sequence ",
                                                      request.follows.value(), ", but the log ends with ", tip.value(),
                                                      ": another writer was here; start again from the log"));
  }
  if (first != tip.value() + 1 || last < first) {
    return absl::InvalidArgumentError(absl::StrCat("block ", first, " to ", last, " does not follow sequence ",
                                                   tip.value(), " without a gap: number entries from ",
                                                   tip.value() + 1));
  }
  absl::StatusOr<BlockHeader> header = ParseBlockHeader(request.block);
  if (!header.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("block ", first, " to ", last, ": ", header.status().message()));
  }
  if (header->first != request.first || header->count != last - first + 1) {
    return absl::InvalidArgumentError(absl::StrCat("block ", first, " to ", last, " says of itself that it holds ",
                                                   header->count, " entries from ", header->first.value(),
                                                   ": give the range that was sealed"));
  }
  if (log_id.has_value() && header->log_id != *log_id) {
    return absl::FailedPreconditionError(
        absl::StrCat("block ", first, " to ", last, " carries the log_id of another log: seal it with this log's"));
  }
  return header;
}

}  // namespace holdfast
