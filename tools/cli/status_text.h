// The status of the daemon, for people and for programs.
//
// Called by command_status. Pure: ages are counted against the log time that came with the answer, so the clock of the
// machine that asks has no say.

#pragma once

#include <iosfwd>
#include <string>

#include "holdfast/audit/v1/audit.pb.h"
#include "tools/cli/json_text.h"

namespace holdfast::cli {

// `server` is the address that was asked.
void WriteStatus(std::ostream& out, const std::string& server, const audit::v1::GetStatusResponse& status);
Json StatusJson(const std::string& server, const audit::v1::GetStatusResponse& status);

// What a monitor should wake somebody for. Empty: nothing.
std::string StatusFault(const audit::v1::GetStatusResponse& status);

}  // namespace holdfast::cli
