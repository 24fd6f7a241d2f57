// Reads what `routings apply` is given.
//
// Called by command_routings. Pure. Errors name the place: line and column where it is no JSON, the field where it is
// JSON and no routing; unknown fields are refused, since a misspelt one would silently widen a routing.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "holdfast/admin/v1/admin.pb.h"

namespace holdfast::cli {

// Absent: `error` says what is wrong and where.
std::optional<admin::v1::ApplyRoutingsRequest> ParseRoutings(std::string_view text, std::string& error);

}  // namespace holdfast::cli
