// One check that an operator had made: as lines for people, as JSON, and as an exit code.
//
// Called by command_check. Pure: now comes in as an argument. No observation in the answer: none came in time.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "holdfast/admin/v1/admin.pb.h"
#include "tools/cli/json_text.h"
#include "tools/cli/result.h"

namespace holdfast::cli {

// "target shops check of P".
std::string CheckName(const admin::v1::CheckProxyRequest& asked);

void WriteCheck(std::ostream& out, const admin::v1::CheckProxyRequest& asked,
                const admin::v1::CheckProxyResponse& answer, std::int64_t now_micros);
Json CheckJson(const admin::v1::CheckProxyRequest& asked, const admin::v1::CheckProxyResponse& answer);

// 0 passed, 1 failed, 2 inconclusive, 5 not observed in time; but for 0 with what that means and what to do.
Result CheckVerdict(const admin::v1::CheckProxyRequest& asked, const admin::v1::CheckProxyResponse& answer);

}  // namespace holdfast::cli
