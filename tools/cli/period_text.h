// A period of ownership as a table row and as JSON.
//
// Called by command_audit. Pure: now comes in as an argument.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/audit/v1/audit.pb.h"
#include "tools/cli/json_text.h"

namespace holdfast::cli {

std::vector<std::string> PeriodColumns();
std::vector<std::string> PeriodCells(const audit::v1::OwnershipPeriod& period, std::int64_t now_micros);
Json PeriodJson(const audit::v1::OwnershipPeriod& period);

}  // namespace holdfast::cli
