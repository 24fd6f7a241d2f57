// A session as a table row and as JSON.
//
// Called by session_list, and by what answers with a session. Pure: now comes in as an argument.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/admin/v1/admin.pb.h"
#include "tools/cli/json_text.h"
#include "tools/cli/table.h"

namespace holdfast::cli {

// `wide`: what fits on no usual terminal, and is asked for less often, as well.
std::vector<std::string> SessionColumns(bool wide);
std::vector<std::string> SessionCells(const admin::v1::SessionStatus& session, bool wide, std::int64_t now_micros);

// Of a checker: its tasks in place of what only workers have.
std::vector<std::string> CheckerColumns();
std::vector<std::string> CheckerCells(const admin::v1::SessionStatus& session, std::int64_t now_micros);

Json SessionJson(const admin::v1::SessionStatus& session);

}  // namespace holdfast::cli
