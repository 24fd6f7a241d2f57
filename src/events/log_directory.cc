#include "events/log_directory.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace holdfast {
namespace {

constexpr std::uint64_t kLeastDescriptors = 128;
// Standard streams, libraries, the log's own files beside its tables, listening sockets, configuration.
constexpr std::uint64_t kOtherDescriptors = 48;
constexpr std::uint64_t kMostTables = 512;

}  // namespace

absl::Status PrepareLogDirectory(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) {
    return absl::FailedPreconditionError(
        absl::StrCat("The log cannot stand in ", path, ": it is not a directory. Name another one, or move it away."));
  }
  if (!std::filesystem::exists(status)) {
    std::filesystem::create_directories(path, error);
    if (error) {
      return absl::PermissionDeniedError(absl::StrCat("The directory ", path, " for the log could not be made: ",
                                                      error.message(), ". Make it, or name one that can be made."));
    }
    chmod(path.c_str(), 0750);
  }
  if (access(path.c_str(), R_OK | W_OK | X_OK) != 0) {
    return absl::PermissionDeniedError(absl::StrCat("The directory ", path, " of the log may not be read and written (",
                                                    std::strerror(errno),
                                                    "). Give it to the user that the program runs as."));
  }
  return absl::OkStatus();
}

absl::StatusOr<DescriptorBudget> RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return absl::InternalError(absl::StrCat("The limit of open files could not be read: ", std::strerror(errno)));
  }
  if (limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = raised.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  const std::uint64_t descriptors = std::min<std::uint64_t>(limit.rlim_cur, std::uint64_t{1} << 20);
  if (descriptors < kLeastDescriptors) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The process may open ", descriptors, " files, the log and a few connections need ",
                     kLeastDescriptors, " at the least. Raise the limit (ulimit -n, or LimitNOFILE= of the unit)."));
  }
  DescriptorBudget budget{.limit = descriptors};
  budget.log_tables = std::min<std::uint64_t>((descriptors - kOtherDescriptors) / 4, kMostTables);
  budget.connections = descriptors - kOtherDescriptors - budget.log_tables;
  return budget;
}

absl::StatusOr<std::uint64_t> FreeDiskBytes(const std::string& path) {
  struct statvfs disk {};
  if (statvfs(path.c_str(), &disk) != 0) {
    return absl::InternalError(absl::StrCat("The free space of ", path, " could not be asked for: ",
                                            std::strerror(errno), ". Is the file system still mounted?"));
  }
  return std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

std::optional<std::int64_t> LogHolder(const std::string& path) {
  const int file = open(absl::StrCat(path, "/LOCK").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const int asked = fcntl(file, F_GETLK, &lock);
  close(file);
  if (asked != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_pid;
}

absl::Status HeldError(const std::string& path, const std::string& who) {
  return absl::UnavailableError(absl::StrCat("The log in ", path, " is held by ", who,
                                             ". Stop it first, or name another directory: two writers on one log are "
                                             "never let in. To look at it meanwhile, use holdfast-replay."));
}

}  // namespace holdfast
