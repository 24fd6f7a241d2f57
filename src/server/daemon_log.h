// The daemon's own words: one line each on stderr, with time and level; never a secret, never a line break inside.
//
// Thread: any, after SetUpLogging. What gRPC itself says comes out here as well, its errors as warnings.

#pragma once

#include <string_view>

namespace holdfast::server {

// level: "debug", "info", "warning" or "error".
void SetUpLogging(std::string_view level);

void LogDebug(std::string_view text);
void LogInfo(std::string_view text);
void LogWarning(std::string_view text);
void LogError(std::string_view text);

}  // namespace holdfast::server
