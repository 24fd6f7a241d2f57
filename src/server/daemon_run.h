// The daemon as a process: configuration, the log on disk, signals, the port file, and the words on stderr.
//
// Called by main, once, before any thread is started; returns the exit code (0 done, 2 usage or could not run).

#pragma once

#include <absl/status/statusor.h>

#include <string_view>

#include "server/config.h"
#include "server/daemon_flags.h"

namespace holdfast::server {

inline constexpr std::string_view kSoftwareVersion = HOLDFAST_VERSION;
// Of the table that all programs of the house share.
inline constexpr int kExitDone = 0;
inline constexpr int kExitCouldNotRun = 2;

// Defaults, then the file, then --set, then --data-dir and --listen; checked as a whole.
absl::StatusOr<Config> ConfigFrom(const DaemonFlags& flags);

int RunDaemon(const DaemonFlags& flags);

}  // namespace holdfast::server
