#include "tools/checker/secret_book.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

extern char** environ;

namespace holdfast::checker {
namespace {

constexpr std::string_view kVariablePrefix = "HOLDFAST_SECRET_";
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
constexpr off_t kFileBytesMax = off_t{1} << 28;
constexpr std::size_t kTextBytesMax = 4096;

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
  int descriptor_;
};

absl::Status Refusal(const std::string& path, std::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat("--secrets ", path, ": ", std::string(why)));
}

// The descriptor's own state is looked at, not the path's: nobody can change the file in between.
absl::Status CheckIsOurs(int descriptor, const std::string& path) {
  struct stat state;
  if (fstat(descriptor, &state) != 0 || !S_ISREG(state.st_mode)) return Refusal(path, "is no file; name a file");
  if ((state.st_mode & kOthers) != 0) {
    return Refusal(path, "others than its owner may read or change it; take that away with chmod 600");
  }
  if (state.st_uid != geteuid() && state.st_uid != 0) {
    return Refusal(path, "belongs to another user; it must be this user's, or root's");
  }
  if (state.st_size > kFileBytesMax) return Refusal(path, "is larger than 256 MiB; no secrets file is");
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadWhole(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return Refusal(path, absl::StrCat("cannot be opened: ", std::strerror(errno)));
  if (absl::Status ours = CheckIsOurs(file.get(), path); !ours.ok()) return ours;
  std::string text;
  char bytes[65536];
  while (true) {
    const ssize_t count = read(file.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Refusal(path, absl::StrCat("cannot be read: ", std::strerror(errno)));
    if (count == 0) return text;
    text.append(bytes, static_cast<std::size_t>(count));
  }
}

// Nothing for what no proxy can be sent: too long, or with control characters in it.
std::optional<Credential> IfUsable(Credential credential) {
  const auto fits = [](const std::string& text) {
    return text.size() <= kTextBytesMax && std::none_of(text.begin(), text.end(), absl::ascii_iscntrl);
  };
  if (credential.username.empty() || !fits(credential.username)) return std::nullopt;
  if (credential.password && !fits(*credential.password)) return std::nullopt;
  return credential;
}

std::optional<Credential> CredentialFrom(const nlohmann::json& entry) {
  if (!entry.is_object()) return std::nullopt;
  const auto username = entry.find("username");
  if (username == entry.end() || !username->is_string()) return std::nullopt;
  Credential credential{username->get<std::string>(), std::nullopt};
  const auto password = entry.find("password");
  if (password != entry.end() && password->is_string()) credential.password = password->get<std::string>();
  if (password != entry.end() && !password->is_string() && !password->is_null()) return std::nullopt;
  return credential;
}

std::optional<Credential> CredentialFrom(std::string_view text) {
  const std::size_t colon = text.find(':');
  Credential credential{std::string(text.substr(0, colon)), std::nullopt};
  if (colon != std::string_view::npos) credential.password = std::string(text.substr(colon + 1));
  return IfUsable(std::move(credential));
}

}  // namespace

absl::StatusOr<SecretBook> SecretBook::Load(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadWhole(path);
  if (!text.ok()) return text.status();
  // The parser's own message would repeat a piece of the file.
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  constexpr std::string_view kShape =
      "is no secrets file: it must be one JSON object {\"<secret_ref>\": {\"username\": …, \"password\": …|null}}, as "
      "holdfast import --secrets-out writes it";
  if (!json.is_object()) return Refusal(path, kShape);
  SecretBook book;
  for (const auto& [secret_ref, entry] : json.items()) {
    std::optional<Credential> credential = CredentialFrom(entry);
    if (!credential) return Refusal(path, kShape);
    // One that cannot be sent is as good as absent, and no reason to do without the others.
    if (auto usable = IfUsable(*std::move(credential))) book.from_file_.emplace(secret_ref, *std::move(usable));
  }
  return book;
}

std::optional<Credential> SecretBook::Resolve(const std::string& secret_ref) const {
  if (const auto found = from_file_.find(secret_ref); found != from_file_.end()) return found->second;
  const char* const value = std::getenv(VariableOf(secret_ref).c_str());
  return value == nullptr ? std::nullopt : CredentialFrom(std::string_view(value));
}

bool SecretBook::HasAny() const {
  if (!from_file_.empty()) return true;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::string_view(*variable).substr(0, kVariablePrefix.size()) == kVariablePrefix) return true;
  }
  return false;
}

std::string SecretBook::VariableOf(std::string_view secret_ref) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string name(kVariablePrefix);
  for (const char c : secret_ref) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      name.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      name.append({'_', kDigits[byte >> 4], kDigits[byte & 0xf]});
    }
  }
  return name;
}

}  // namespace holdfast::checker
