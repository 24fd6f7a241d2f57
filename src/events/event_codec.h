// Between the vocabulary in memory (event.h) and on disk (log.v1.Events): the one codec file between them.
//
// Thread: plain functions. Ensures: DecodeEvents(EncodeEvents(x)) == x; equal events give equal bytes; any bytes decode
// or give an error. An event number that this build does not know is an error that names it, never skipped; an unknown
// field of a known event is skipped here and stays in the stored bytes, which are hashed as stored.

#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>
#include <vector>

#include "events/event.h"

namespace holdfast {

// Appends a serialised log.v1.Events to `out`.
void EncodeEvents(const std::vector<Event>& events, std::string& out);

// Appends the events to `out`. InvalidArgument: malformed; Unimplemented: an event from a newer version.
absl::Status DecodeEvents(std::string_view bytes, std::vector<Event>& out);

// The event's name in log.v1.Event ("session_opened").
std::string_view EventName(const Event& event);

}  // namespace holdfast
