// The directory that a log stands in: made, with room and with descriptors enough, and whose it is now.
//
// Called when a log is opened and, for the free space, by whoever watches the disk. Thread: any. Promises: errors name
// the path and what to do. Does not: open the log.

#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>

namespace holdfast {

// How many of the process's descriptors the log's files may take, and what is left for connections.
struct DescriptorBudget {
  std::uint64_t limit = 0;  // RLIMIT_NOFILE, after it was raised
  std::uint64_t log_tables = 0;
  std::uint64_t connections = 0;  // the server accepts no more than these at once
};

// Makes the directory (0750) where it is missing. FailedPrecondition: it is no directory; PermissionDenied: not ours.
absl::Status PrepareLogDirectory(const std::string& path);

// Raises the soft limit to the hard one and divides it. ResourceExhausted: fewer than 128 even so.
absl::StatusOr<DescriptorBudget> RaiseDescriptorLimit();

// Bytes that a writer without privileges may still write where `path` stands.
absl::StatusOr<std::uint64_t> FreeDiskBytes(const std::string& path);

// The process that holds the log in `path` open for writing; nullopt: none that can be seen. Requires: this process
// does not hold it. (The lock is one of POSIX: closing any descriptor of the file gives up the process's own lock.)
std::optional<std::int64_t> LogHolder(const std::string& path);

// "The log in PATH is held by WHO: …", as an Unavailable error.
absl::Status HeldError(const std::string& path, const std::string& who);

}  // namespace holdfast
