// Which target hosts a routing is for: "example.com", "*.example.com" (any name below it), "*" (any host), an IP
// address.
//
// Pure. Called by validation before anything is queued, and by the rule of routings for the spelling that is kept.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast {

// The one spelling of a pattern (names as lower-case A-labels); nullopt: it is none.
std::optional<std::string> NormaliseHostPattern(std::string_view pattern);

}  // namespace holdfast
