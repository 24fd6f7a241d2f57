// What a call that only reads must look like (MALFORMED, LIMIT_EXCEEDED), where controller/validate.h does not say so:
// reads of the audit are no inputs.
//
// Pure. Thread: any.

#pragma once

#include <optional>

#include "controller/decision.h"
#include "holdfast/audit/v1/audit.pb.h"

namespace holdfast::server {

// nullopt: well formed and within limits.
std::optional<Rejection> Validate(const audit::v1::OwnershipHistoryRequest& request);
std::optional<Rejection> Validate(const audit::v1::ReadLogRequest& request);

}  // namespace holdfast::server
