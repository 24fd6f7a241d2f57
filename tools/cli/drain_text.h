// A drain as a line for people, as JSON, and as an exit code.
//
// Called by command_drain and drain_monitor. Pure.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "holdfast/admin/v1/admin.pb.h"
#include "tools/cli/json_text.h"
#include "tools/cli/result.h"

namespace holdfast::cli {

// What the daemon answered to the request: whether it was draining already, and the deadline that stands.
std::string DrainAnswerText(const admin::v1::DrainSessionResponse& response, std::int64_t now_micros);

// "12 proxies and 3 requests left, deadline ...; held up by ...", of a checker "3 tasks left, ...". Holds no age: equal
// progress is equal text.
std::string DrainProgressText(const admin::v1::DrainProgress& progress);

// Of a drain that is over: what became of it.
std::string DrainEndText(const admin::v1::DrainProgress& end);
// 0 where everything was proven released, else 1 with what that means.
Result DrainVerdict(const admin::v1::DrainProgress& end);

// `answer` absent: nothing was asked for, it was only watched.
Json DrainJson(const std::optional<admin::v1::DrainSessionResponse>& answer, const admin::v1::DrainProgress& progress);
Json DrainAnswerJson(const admin::v1::DrainSessionResponse& answer);

}  // namespace holdfast::cli
