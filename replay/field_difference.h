// Two lists of events, compared for people: where they first differ, field by field, in the JSON of log.v1.Event.
//
// Called when a difference was found already. Thread: plain functions.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "events/event.h"

namespace holdfast::replay {

struct FieldDifference {
  std::string path;     // "events[0].snapshot_issued.checksum"
  std::string logged;   // JSON text; "(none)" where there is nothing
  std::string decided;  // as above
};

// At most this many are listed; the last one then says how many more there are.
inline constexpr std::size_t kMostDifferences = 16;

// Empty: they are equal.
std::vector<FieldDifference> CompareEvents(const std::vector<Event>& logged, const std::vector<Event>& decided);

}  // namespace holdfast::replay
