#include "tools/import/byte_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace holdfast::importer {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(int descriptor, std::string name, bool owned)
      : descriptor_(descriptor), name_(std::move(name)), owned_(owned) {}
  ~FileSource() override {
    if (owned_) close(descriptor_);
  }

  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) override {
    while (true) {
      const ssize_t count = read(descriptor_, buffer, size);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno == EINTR) continue;
      return absl::ErrnoToStatus(errno, absl::StrCat(name_, ": cannot be read"));
    }
  }

 private:
  int descriptor_;
  std::string name_;
  bool owned_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ByteSource>> OpenFile(const std::string& path) {
  if (path == "-") return std::make_unique<FileSource>(STDIN_FILENO, "standard input", false);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be opened: name a file that you may read"));
  }
  return std::make_unique<FileSource>(descriptor, path, true);
}

absl::StatusOr<std::size_t> MemorySource::Read(char* buffer, std::size_t size) {
  const std::size_t count = std::min(size, bytes_.size());
  std::memcpy(buffer, bytes_.data(), count);
  bytes_.remove_prefix(count);
  return count;
}

absl::StatusOr<std::string_view> PeekSource::Peek(std::size_t size) {
  begin_.resize(size);
  std::size_t filled = 0;
  while (filled < size) {
    const absl::StatusOr<std::size_t> count = inner_->Read(begin_.data() + filled, size - filled);
    if (!count.ok()) {
      // What was good before a fault is still to be read.
      status_ = count.status();
      break;
    }
    if (*count == 0) break;
    filled += *count;
  }
  begin_.resize(filled);
  if (filled == 0 && !status_.ok()) return status_;
  return std::string_view(begin_);
}

absl::StatusOr<std::size_t> PeekSource::Read(char* buffer, std::size_t size) {
  if (position_ >= begin_.size()) {
    if (!status_.ok()) return status_;
    return inner_->Read(buffer, size);
  }
  const std::size_t count = std::min(size, begin_.size() - position_);
  std::memcpy(buffer, begin_.data() + position_, count);
  position_ += count;
  return count;
}

absl::StatusOr<std::size_t> LimitedSource::Read(char* buffer, std::size_t size) {
  const absl::StatusOr<std::size_t> count = inner_->Read(buffer, size);
  if (!count.ok()) return count;
  if (*count > left_) return absl::ResourceExhaustedError("the list is larger than allowed: split it");
  left_ -= *count;
  return count;
}

}  // namespace holdfast::importer
