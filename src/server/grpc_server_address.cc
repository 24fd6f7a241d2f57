#include "server/grpc_server_address.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <arpa/inet.h>
#include <sys/un.h>

namespace holdfast::server {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";

// absl of this system has a string_view of its own.
absl::string_view View(std::string_view text) { return absl::string_view(text.data(), text.size()); }

absl::Status Malformed(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("cannot listen on \"", View(text), "\": ", View(why),
                                                 ". Write 127.0.0.1:7443, [::1]:7443 or unix:PATH."));
}

bool IsLoopback(const std::string& host) {
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  return inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

bool IsLiteral(const std::string& host) {
  in6_addr any{};
  return inet_pton(AF_INET, host.c_str(), &any) == 1 || inet_pton(AF_INET6, host.c_str(), &any) == 1;
}

absl::StatusOr<ListenAddress> ParseUnix(std::string_view text) {
  ListenAddress address;
  address.path = std::string(text.substr(kUnixPrefix.size()));
  if (address.path.empty()) return Malformed(text, "it names no path");
  if (address.path.size() >= sizeof(sockaddr_un::sun_path)) {
    return Malformed(text, absl::StrCat("its path is longer than ", sizeof(sockaddr_un::sun_path) - 1, " bytes"));
  }
  return address;
}

}  // namespace

std::string ListenAddress::text() const {
  if (is_unix()) return absl::StrCat("unix:", path);
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return is_ipv6 ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port);
}

absl::StatusOr<ListenAddress> ParseListenAddress(std::string_view text) {
  if (text.substr(0, kUnixPrefix.size()) == kUnixPrefix) return ParseUnix(text);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return Malformed(text, "it has no port");
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!bracketed && host.find(':') != std::string_view::npos) {
    return Malformed(text, "an IPv6 address goes in brackets");
  }
  ListenAddress address;
  address.host = std::string(host);
  std::uint32_t port = 0;
  if (!absl::SimpleAtoi(View(text.substr(colon + 1)), &port) || port > 65535) {
    return Malformed(text, "its port is no number from 0 to 65535");
  }
  address.port = static_cast<std::uint16_t>(port);
  if (!IsLiteral(address.host)) return Malformed(text, "its host is no literal IP address");
  if (IsLoopback(address.host)) return address;
  return absl::FailedPreconditionError(absl::StrCat(
      "refused to listen on ", address.text(),
      ": this version speaks plaintext only, and plaintext is served only on a "
      "loopback address (127.0.0.0/8, ::1) or a unix socket. Listen on 127.0.0.1 and put a tunnel before it."));
}

}  // namespace holdfast::server
