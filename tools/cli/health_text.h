// The health of a proxy at one level, as words and as JSON.
//
// Called by proxy_text, checks_text and check_text. Pure.

#pragma once

#include <string>

#include "controlplane/v1/types.pb.h"
#include "holdfast/admin/v1/admin.pb.h"
#include "tools/cli/json_text.h"

namespace holdfast::cli {

// "basic", "target shops".
std::string LevelText(controlplane::v1::CheckLevel level, const std::string& routing_id);
// Where a check ended and what was wrong: "dial: refused"; "response_headers" where nothing was.
std::string EndText(controlplane::v1::OutcomePhase phase, controlplane::v1::OutcomeError error);
// "203.0.113.9, elite". Empty: nothing is known.
std::string EgressText(const std::string& egress_ip, controlplane::v1::Anonymity anonymity);

Json HealthJson(const admin::v1::HealthStatus& health);

}  // namespace holdfast::cli
