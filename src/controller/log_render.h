// An entry as people and programs read it: the kind of its input, its JSON, one line of text. docs/log_reading.md.
//
// Called by ReadLog on the reader pool's threads and by the replay tool. Thread: pure functions; EntryMessages belongs
// to one thread at a time. Promises: the stored bytes are parsed with the generated log.v1 messages, so there is no
// second decoder; what a newer version wrote and this one does not know is an error that names the sequence, never left
// out. Does not: check hashes, fold, filter.

#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string>

#include "base/sha256.h"
#include "events/entry_view.h"
#include "holdfast/log/v1/event.pb.h"
#include "holdfast/log/v1/input.pb.h"

namespace holdfast {

// What an entry holds, parsed. Used again for the next one, it keeps its memory.
struct EntryMessages {
  log::v1::Input input;
  bool input_dropped = false;  // retention has taken the body: only its hash is left
  log::v1::Events events;
};

// The kind of an entry whose input was dropped and whose events do not tell what it was.
inline constexpr char kDroppedKind[] = "dropped";

// DataLoss: not the messages that they should be. Unimplemented: an input or an event of a newer version. Both name the
// sequence.
absl::Status ParseEntry(const EntryView& entry, EntryMessages& messages);

// The name of the input's field in log.v1.Input ("register_worker"). Of a dropped body: the kind that its events tell
// (runtime_accepted, outcomes_accepted, checker_heard), else "dropped".
std::string EntryKind(const EntryMessages& messages);

// {"input": {NAME: {…}}, "events": [{NAME: {…}}, …]}: NAME as above, {…} protobuf's JSON mapping (lowerCamelCase,
// 64-bit numbers as text). A dropped body: {"input": {NAME: null}, "inputDropped": true, "events": […]}. Over
// most_bytes (about) the input is null with "inputCut": true where it alone takes over half, and "eventsCut" counts the
// events at the end that are left out.
absl::StatusOr<std::string> EntryJson(const EntryMessages& messages, std::size_t most_bytes = SIZE_MAX);

// What happened, in words, without a line break: "gw-1: session opened, epoch 7".
std::string EntrySummary(const EntryMessages& messages);

// "sequence time principal kind: what happened", the time in UTC with microseconds.
std::string EntryLine(const EntryView& entry, const EntryMessages& messages);

// The entry's hash, computed from the stored bytes (the input's own stored hash where its body stands apart).
Hash256 EntryHashOf(const EntryView& entry, Sha256& hasher);

}  // namespace holdfast
