// Which version of the daemon wrote a place of a log: for the message about what this version does not know.
//
// Called on the way to an error. Thread: the caller's. Reads the log from its beginning.

#pragma once

#include <string>

#include "events/event_log.h"

namespace holdfast::replay {

// The software_version of the last start before `sequence`; empty: none can be read.
std::string WriterVersion(const EventLog& log, Sequence sequence);

}  // namespace holdfast::replay
