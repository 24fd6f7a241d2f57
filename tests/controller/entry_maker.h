// Entries as a block shows them, made from an input and events, for the tests of rendering and filtering.
//
// Thread: plain values.

#pragma once

#include <string>
#include <vector>

#include "controller/log_render.h"
#include "events/event_codec.h"

namespace holdfast::testing {

struct MadeEntry {
  std::uint64_t sequence = 7;
  std::string input;
  std::string events;
  bool dropped = false;
  LogTime at = LogTimeFromMicros(1'900'000'000'000'123);

  EntryView view() const {
    EntryView entry;
    entry.sequence = Sequence(sequence);
    entry.at = at;
    entry.principal = "loopback";
    entry.input = dropped ? std::string_view() : std::string_view(input);
    entry.events = events;
    entry.bulk = dropped;
    entry.input_dropped = dropped;
    return entry;
  }
};

inline MadeEntry MakeEntry(const log::v1::Input& input, const std::vector<Event>& events, std::uint64_t sequence = 7) {
  MadeEntry entry;
  entry.sequence = sequence;
  entry.input = input.SerializeAsString();
  EncodeEvents(events, entry.events);
  return entry;
}

}  // namespace holdfast::testing
