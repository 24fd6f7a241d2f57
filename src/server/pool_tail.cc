#include "server/pool_tail.h"

#include <absl/strings/str_cat.h>

#include <vector>

#include "events/block_view.h"
#include "events/event_codec.h"

namespace holdfast::server {
namespace {

absl::Status NoteBlock(const BlockView& block, Sequence after, Sequence upto, pool::Changes& changes) {
  std::vector<Event> events;
  for (const EntryView& entry : block.entries()) {
    if (entry.sequence <= after || entry.sequence > upto) continue;
    events.clear();
    if (absl::Status status = DecodeEvents(entry.events, events); !status.ok()) return status;
    for (const Event& event : events) changes.Note(event, entry.sequence, nullptr);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<pool::Changes> ReadPoolTail(const EventLog& log, Sequence after, Sequence upto) {
  absl::StatusOr<std::unique_ptr<BlockReader>> reader = log.NewReader(Next(after));
  if (!reader.ok()) return reader.status();
  pool::Changes changes;
  BlockView view;
  for (Sequence reached; reached < upto;) {
    const absl::StatusOr<std::optional<StoredBlock>> stored = (*reader)->Next();
    if (!stored.ok()) return stored.status();
    if (!stored->has_value()) return absl::DataLossError("the log ends before what the pool store lacks");
    if (absl::Status status = view.Parse((*stored)->block, (*stored)->bulk); !status.ok()) return status;
    if (reached.value() == 0 && view.entries().front().sequence > Next(after)) {
      return absl::DataLossError(absl::StrCat("the log begins at sequence ", view.entries().front().sequence.value(),
                                              ", after what the pool store lacks"));
    }
    if (absl::Status status = NoteBlock(view, after, upto, changes); !status.ok()) return status;
    reached = view.last();
  }
  return changes;
}

}  // namespace holdfast::server
