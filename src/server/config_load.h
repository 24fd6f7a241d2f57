// Reads the configuration: a JSON file (// and /* */ comments allowed), --set key=value, and the checks that span
// settings.
//
// Called by main before anything else. Thread: any; the file is read once.
// Promises: an unknown, repeated or ill-typed key, a value out of range, and JSON that cannot be read are refused, with
// the place (line and column for syntax, the key's path for the rest) and what is allowed; a refused change changes
// nothing.

#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "base/hash256.h"
#include "server/config.h"

namespace holdfast::server {

// NotFound, InvalidArgument: with the file's name.
absl::Status LoadConfigFile(const std::string& path, Config& config);
// name: of the text, for errors.
absl::Status LoadConfigText(std::string_view text, std::string_view name, Config& config);

// "control_plane.session_ttl=2s": the value as in the file, texts without quotes.
absl::Status SetConfigValue(std::string_view assignment, Config& config);

// What no single setting shows.
absl::Status CheckConfig(const Config& config);

// The effective configuration, keys sorted, two spaces a level.
std::string ConfigJson(const Config& config);
// SHA-256 of the canonical form: the same JSON without white space.
Hash256 ConfigHash(const Config& config);

}  // namespace holdfast::server
