// A log line for people: one line of text out of the JSON of an entry.
//
// Called by command_log. Pure. Knows no kind by name: it shows the fields that name things (worker, proxy, version,
// reason), and counts the events, so a kind added to the log needs no change here. What is left out stands in --json.

#pragma once

#include <string>

#include "holdfast/audit/v1/audit.pb.h"
#include "tools/cli/json_text.h"

namespace holdfast::cli {

// "12  2026-09-01 12:00:00.123Z  loopback  register_worker  worker_id=w-1 -> session_opened, session_activated".
std::string LogLineText(const audit::v1::LogLine& line);
// {"sequence","at","kind","principal","entry_hash","entry"}; `entry` as the server gave it.
Json LogLineJson(const audit::v1::LogLine& line);

}  // namespace holdfast::cli
