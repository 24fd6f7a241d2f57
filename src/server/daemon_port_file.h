// The file that tells where the daemon serves: there, whole, when it serves; gone at a clean end.
//
// Thread: one at a time. Promises: a reader sees all of the address or no file (written aside, then renamed).

#pragma once

#include <absl/status/status.h>

#include <string>

namespace holdfast::server {

// Internal: with the path and the system's reason.
absl::Status WritePortFile(const std::string& path, const std::string& address);
void RemovePortFile(const std::string& path);

}  // namespace holdfast::server
