// An alarm as a table row and as JSON.
//
// Called by command_alarms and command_clock. Pure: now comes in as an argument.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/admin/v1/admin.pb.h"
#include "tools/cli/json_text.h"

namespace holdfast::cli {

std::vector<std::string> AlarmColumns();
std::vector<std::string> AlarmCells(const admin::v1::Alarm& alarm, std::int64_t now_micros);
Json AlarmJson(const admin::v1::Alarm& alarm);

}  // namespace holdfast::cli
