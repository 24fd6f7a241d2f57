// A secret that stands alone in a file, on one line.
//
// Called at the start. Thread: any; the file is read once. Promises: no error holds anything of the content. Does not
// look at who owns the file: root, this user or a secrets' mount are all well.

#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "pool/redis_settings.h"

namespace holdfast::server {

// setting: that names the path, for errors. A line break at the end is not part of it. NotFound: cannot be read;
// FailedPrecondition: anybody may read or change it; InvalidArgument: empty, over 4,096 bytes, or more than a line.
absl::StatusOr<pool::Secret> ReadSecretFile(const std::string& path, std::string_view setting);

}  // namespace holdfast::server
