#include "tools/checker/anonymity.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"

namespace holdfast::checker {
namespace {

using controlplane::v1::Anonymity;

constexpr std::array<std::string_view, 6> kNoSigns = {"connection", "content-length",    "keep-alive",
                                                      "te",         "transfer-encoding", "upgrade"};

bool IsOfAnAddress(char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)) || c == ':' || c == '.'; }

// "203.0.113.7", "203.0.113.7:4711", "2001:db8::1"; also with a dot or colon of the sentence behind it.
bool IsOneOf(std::string_view word, const std::vector<IpAddress>& addresses) {
  const auto known = [&addresses](std::string_view text) {
    const std::optional<IpAddress> address = ParseAddress(text);
    return address && std::find(addresses.begin(), addresses.end(), *address) != addresses.end();
  };
  if (known(word)) return true;
  while (!word.empty() && (word.back() == '.' || word.back() == ':')) word.remove_suffix(1);
  if (known(word)) return true;
  const std::size_t colon = word.rfind(':');
  return colon != std::string_view::npos && known(word.substr(0, colon));
}

bool IsOwn(const SeenHeader& header, const OwnTraces& own) {
  return std::any_of(own.headers.begin(), own.headers.end(), [&header](const SeenHeader& of_own) {
    return of_own.name == header.name && of_own.value == header.value;
  });
}

bool IsSign(const std::string& name, const OwnTraces& own) {
  if (std::find(kNoSigns.begin(), kNoSigns.end(), name) != kNoSigns.end()) return false;
  return std::none_of(own.headers.begin(), own.headers.end(),
                      [&name](const SeenHeader& of_own) { return of_own.name == name; });
}

}  // namespace

OwnTraces TracesOf(const JudgeReport& direct) { return {{direct.address}, direct.headers}; }

bool NamesAnyAddress(std::string_view text, const std::vector<IpAddress>& addresses) {
  while (!text.empty()) {
    const auto begin = std::find_if(text.begin(), text.end(), IsOfAnAddress);
    text.remove_prefix(static_cast<std::size_t>(begin - text.begin()));
    const auto end = std::find_if_not(text.begin(), text.end(), IsOfAnAddress);
    const auto length = static_cast<std::size_t>(end - text.begin());
    if (length > 0 && IsOneOf(text.substr(0, length), addresses)) return true;
    text.remove_prefix(length);
  }
  return false;
}

Anonymity DeriveAnonymity(const JudgeReport& through_proxy, const OwnTraces& own) {
  const auto& addresses = own.addresses;
  if (std::find(addresses.begin(), addresses.end(), through_proxy.address) != addresses.end()) {
    return controlplane::v1::ANONYMITY_TRANSPARENT;
  }
  bool signs = false;
  for (const SeenHeader& header : through_proxy.headers) {
    if (IsOwn(header, own)) continue;
    if (NamesAnyAddress(header.value, addresses)) return controlplane::v1::ANONYMITY_TRANSPARENT;
    signs = signs || IsSign(header.name, own);
  }
  return signs ? controlplane::v1::ANONYMITY_ANONYMOUS : controlplane::v1::ANONYMITY_ELITE;
}

}  // namespace holdfast::checker
