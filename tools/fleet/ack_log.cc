#include "tools/fleet/ack_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"

namespace holdfast::fleet {

absl::StatusOr<std::unique_ptr<AckLog>> AckLog::Open(const std::string& directory, const std::string& worker_id) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot make the directory ", directory, ": ", error.message(), "; name another with --ack-log"));
  }
  const std::string path = directory + "/" + worker_id + ".jsonl";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot open ", path, ": ", std::strerror(errno), "; name another directory with --ack-log"));
  }
  return std::unique_ptr<AckLog>(new AckLog(file, path));
}

AckLog::~AckLog() { close(file_); }

void AckLog::Append(const nlohmann::json& line) {
  const std::string text = line.dump() + "\n";
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(file_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  if (written == text.size() && fsync(file_) == 0) return;
  std::cerr << "holdfast-fleet: cannot write " << path_ << ": " << std::strerror(errno) << "\n";
  std::_Exit(2);
}

}  // namespace holdfast::fleet
