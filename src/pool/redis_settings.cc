#include "pool/redis_settings.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>

#include "base/endpoint.h"
#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

bool IsLoopback(std::string_view host) {
  const NormalisedHost normalised = NormaliseHost(host, true);
  return normalised.ok() && normalised.kind == AddressKind::kLoopback;
}

bool IsPrefix(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == ':';
  });
}

std::string JoinAddresses(const std::vector<RedisAddress>& addresses) {
  return absl::StrJoin(addresses, ", ",
                       [](std::string* out, const RedisAddress& address) { absl::StrAppend(out, ToText(address)); });
}

absl::Status CheckPlaces(const RedisSettings& settings) {
  if (settings.addresses.empty() == settings.sentinels.empty()) {
    return WrongRequest("Redis: give either its addresses or those of its sentinels");
  }
  if (settings.sentinels.empty() != settings.sentinel_master.empty()) {
    return WrongRequest("Redis: sentinels are asked for a master by its name: give both, or neither");
  }
  for (const auto* places : {&settings.addresses, &settings.sentinels}) {
    for (const RedisAddress& address : *places) {
      if (absl::Status status = CheckPlaintext(address, settings.allow_plaintext); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RedisAddress> ParseRedisAddress(const std::string& text) {
  const auto wrong = [&] {
    return WrongRequest(absl::StrCat("Redis: `", text, "` is no address; write unix:PATH, HOST:PORT or [IPV6]:PORT"));
  };
  RedisAddress address;
  if (text.starts_with("unix:")) {
    address.unix_path = text.substr(5);
    return address.unix_path.empty() ? absl::StatusOr<RedisAddress>(wrong()) : address;
  }
  const std::size_t colon = text.rfind(':');
  std::uint32_t port = 0;
  if (colon == std::string::npos || !absl::SimpleAtoi(text.substr(colon + 1), &port)) return wrong();
  std::string host = text.substr(0, colon);
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (in_brackets) host = host.substr(1, host.size() - 2);
  const bool has_colon = host.find(':') != std::string::npos;
  if (port == 0 || port > 65'535 || in_brackets != has_colon || !NormaliseHost(host, true).ok()) return wrong();
  address.host = host;
  address.port = static_cast<std::uint16_t>(port);
  return address;
}

std::string ToText(const RedisAddress& address) {
  if (!address.unix_path.empty()) return absl::StrCat("unix:", address.unix_path);
  if (address.host.find(':') != std::string::npos) return absl::StrCat("[", address.host, "]:", address.port);
  return absl::StrCat(address.host, ":", address.port);
}

absl::Status CheckPlaintext(const RedisAddress& address, bool allow_plaintext) {
  if (allow_plaintext || !address.unix_path.empty() || IsLoopback(address.host)) return absl::OkStatus();
  return WrongRequest(
      absl::StrCat("Redis at ", ToText(address),
                   " is not on this machine, and what goes there is not encrypted: use a unix socket, or "
                   "stunnel with an address of loopback, or set allow_plaintext where the network between is trusted"));
}

absl::Status Validate(const RedisSettings& settings) {
  if (absl::Status status = CheckPlaces(settings); !status.ok()) return status;
  if (!settings.user.empty() && settings.password.empty()) {
    return WrongRequest(absl::StrCat("Redis: the user ", settings.user, " is given without a password"));
  }
  if (!settings.sentinel_user.empty() && settings.sentinel_password.empty()) {
    return WrongRequest(
        absl::StrCat("Redis: the sentinels' user ", settings.sentinel_user, " is given without a password"));
  }
  if (!IsPrefix(settings.key_prefix)) {
    return WrongRequest("Redis: key_prefix takes letters, digits and _ - . : and is not empty");
  }
  if (settings.connect_timeout < std::chrono::milliseconds(1)) {
    return WrongRequest("Redis: connect_timeout is at least a millisecond");
  }
  return settings.owned_limit > 0 ? absl::OkStatus() : WrongRequest("Redis: owned_limit is at least 1");
}

std::string Describe(const RedisSettings& settings) {
  const std::string where =
      settings.sentinels.empty()
          ? JoinAddresses(settings.addresses)
          : absl::StrCat("master ", settings.sentinel_master, " of sentinels ", JoinAddresses(settings.sentinels));
  return absl::StrCat("Redis at ", where, ", database ", settings.database, ", keys {", settings.key_prefix, "}, user ",
                      settings.user.empty() ? "default" : settings.user, ", password ",
                      settings.password.empty() ? "none" : "hidden");
}

}  // namespace holdfast::pool
