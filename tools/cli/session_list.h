// Lists sessions page by page, as JSON or as a table.
//
// Called by command_sessions and command_checkers. Thread: the command's. Prints as the pages come; pages may be of
// different moments, and as_of_sequence is that of the last.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "holdfast/admin/v1/admin.pb.h"
#include "tools/cli/invocation.h"

namespace holdfast::cli {

// What a list of them looks like.
struct SessionListForm {
  std::string json_name;  // of the array
  std::string noun;       // "session(s)"
  std::vector<std::string> columns;
  std::function<std::vector<std::string>(const admin::v1::SessionStatus& session, std::int64_t now_micros)> cells;
};

Result ListSessions(Invocation& invocation, const admin::v1::ListSessionsRequest& request, const SessionListForm& form);

}  // namespace holdfast::cli
