#include "tests/import/print_proxy.h"

#include <cctype>
#include <string_view>

namespace holdfast::importer {
namespace {

std::string PercentEncode(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) != 0 || std::string_view("-._~").find(c) != std::string_view::npos)) {
      encoded.push_back(c);
      continue;
    }
    encoded.push_back('%');
    encoded.push_back(kDigits[byte >> 4]);
    encoded.push_back(kDigits[byte & 0xf]);
  }
  return encoded;
}

}  // namespace

std::string PrintAsUrl(const Endpoint& endpoint, const std::optional<Credential>& credential) {
  std::string user_info;
  if (credential) {
    user_info = PercentEncode(credential->username);
    if (credential->password) user_info += ":" + PercentEncode(*credential->password);
  }
  return CanonicalUrl(endpoint, user_info);
}

}  // namespace holdfast::importer
