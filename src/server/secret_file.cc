#include "server/secret_file.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace holdfast::server {
namespace {

constexpr std::size_t kMostBytes = 4'096;
constexpr mode_t kOthers = S_IRWXO;

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

// Up to a byte more than may be there.
bool ReadAll(int descriptor, std::string& content) {
  std::array<char, kMostBytes + 1> buffer{};
  while (content.size() <= kMostBytes) {
    const ssize_t got = read(descriptor, buffer.data(), buffer.size() - content.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    content.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace

absl::StatusOr<pool::Secret> ReadSecretFile(const std::string& path, std::string_view setting) {
  const std::string place = absl::StrCat(absl::string_view(setting.data(), setting.size()), ": the file ", path);
  // Opened first, so that what is judged is what is read; a pipe that nobody writes to does not hold the start.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (file.get() < 0 || fstat(file.get(), &about) != 0) {
    return absl::NotFoundError(absl::StrCat(place, " cannot be read: ", std::strerror(errno)));
  }
  if (!S_ISREG(about.st_mode)) return absl::InvalidArgumentError(absl::StrCat(place, " is no plain file"));
  if ((about.st_mode & kOthers) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(place, " is open to everybody on this machine: chmod o= ", path,
                                                      ", and change the password, which others may know"));
  }
  std::string content;
  if (!ReadAll(file.get(), content)) {
    return absl::NotFoundError(absl::StrCat(place, " cannot be read: ", std::strerror(errno)));
  }
  if (content.ends_with('\n')) content.pop_back();
  if (content.ends_with('\r')) content.pop_back();
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  if (content.empty() || content.size() > kMostBytes || std::any_of(content.begin(), content.end(), is_control)) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, " must hold one line with the password, of at most ", kMostBytes, " bytes"));
  }
  return pool::Secret(std::move(content));
}

}  // namespace holdfast::server
