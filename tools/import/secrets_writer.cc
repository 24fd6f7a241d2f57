#include "tools/import/secrets_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace holdfast::importer {
namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr std::size_t kFlushBytes = 1u << 16;

absl::Status Failure(std::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("secrets file ", path, ": cannot ", std::string(what),
                                                 ": give --secrets-out a file in a directory that you may write"));
}

// A file that is removed again unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target) : path_(target + ".XXXXXX") {
    // mkostemp makes it with mode 0600 and never follows a link.
    descriptor_ = mkostemp(path_.data(), O_CLOEXEC);
  }
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    if (!kept_) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool ok() const { return descriptor_ >= 0 && fchmod(descriptor_, kOwnerOnly) == 0; }
  bool Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
  bool Sync() { return fsync(descriptor_) == 0; }
  bool RenameTo(const std::string& target) {
    kept_ = rename(path_.c_str(), target.c_str()) == 0;
    return kept_;
  }

 private:
  std::string path_;
  int descriptor_ = -1;
  bool kept_ = false;
};

bool SyncDirectoryOf(const std::string& path) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  const int descriptor = open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool synced = fsync(descriptor) == 0;
  close(descriptor);
  return synced;
}

std::string EntryText(const std::string& secret_ref, const Credential& credential) {
  nlohmann::json entry;
  entry["username"] = credential.username;
  entry["password"] = credential.password ? nlohmann::json(*credential.password) : nlohmann::json();
  return absl::StrCat("  ", nlohmann::json(secret_ref).dump(), ": ", entry.dump());
}

}  // namespace

absl::Status WriteSecrets(const SecretStore& store, const std::string& path) {
  TemporaryFile file(path);
  if (!file.ok()) return Failure("be made", path);
  std::string buffer = "{";
  std::string_view separator = "\n";
  for (const auto& [secret_ref, credential] : store.credentials()) {
    absl::StrAppend(&buffer, std::string(separator), EntryText(secret_ref, credential));
    separator = ",\n";
    if (buffer.size() < kFlushBytes) continue;
    if (!file.Write(buffer)) return Failure("be written", path);
    buffer.clear();
  }
  buffer.append("\n}\n");
  if (!file.Write(buffer) || !file.Sync()) return Failure("be written", path);
  if (!file.RenameTo(path)) return Failure("be put in place", path);
  if (!SyncDirectoryOf(path)) return Failure("have its directory synced", path);
  return absl::OkStatus();
}

}  // namespace holdfast::importer
