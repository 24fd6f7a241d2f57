#include "tools/import/secret_reference.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/sha256.h"

namespace holdfast::importer {
namespace {

constexpr std::string_view kDomain = "holdfast/secret-ref/1";
constexpr std::string_view kPrefix = "cred-";
constexpr std::size_t kBytesShown = 16;

// Each with its length before it, so that no two inputs run together.
void AppendField(std::string_view field, std::string* bytes) {
  for (int shift = 0; shift < 32; shift += 8) {
    bytes->push_back(static_cast<char>((field.size() >> shift) & 0xff));
  }
  bytes->append(field);
}

}  // namespace

std::string SecretReferenceOf(const Endpoint& endpoint, const std::optional<Credential>& credential) {
  if (!credential) return {};
  std::string bytes;
  AppendField(kDomain, &bytes);
  AppendField(endpoint.host, &bytes);
  AppendField(std::to_string(endpoint.port), &bytes);
  AppendField(credential->username, &bytes);
  std::string reference(kPrefix);
  reference.append(ToHex(Sha256Of(bytes)), 0, 2 * kBytesShown);
  return reference;
}

}  // namespace holdfast::importer
