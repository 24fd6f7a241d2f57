// All of GetStatus, read where each part of it is: for the call, and for whoever else shows it.

#pragma once

#include <absl/status/status.h>

#include <functional>

#include "server/read_context.h"
#include "server/status_report.h"

namespace holdfast::server {

// Fills *out, then calls done on a thread of the reader pool; Unavailable or worse: the log could not be read, and *out
// is half filled. done is dropped uncalled where the daemon stops meanwhile. reads and sources must outlive it; *out
// must stay as long as done does. Thread: any; does not wait.
void ReadStatus(const ReadContext& reads, const StatusSources& sources, audit::v1::GetStatusResponse* out,
                std::function<void(const absl::Status&)> done);

}  // namespace holdfast::server
