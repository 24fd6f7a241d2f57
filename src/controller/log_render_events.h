// One event in a few words, for log_render.h.
//
// Thread: pure functions. Does not: repeat free text of a caller in full; a detail is cut.

#pragma once

#include <string>

#include "holdfast/log/v1/event.pb.h"

namespace holdfast {

// "session opened, epoch 7, another process". Requires: an event is set.
std::string DescribeEvent(const log::v1::Event& event);

// The event's name as words: "ownership granted".
std::string EventWords(const log::v1::Event& event);

}  // namespace holdfast
