#include "tools/cli/server_address.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstdint>

namespace holdfast::cli {
namespace {

bool IsPort(std::string_view text) {
  std::uint32_t port = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), port);
  return fault == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

bool IsLoopbackV4(const std::string& host) {
  in_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24) == 127;
}

bool IsLoopbackV6(const std::string& host) {
  in6_addr address;
  return inet_pton(AF_INET6, host.c_str(), &address) == 1 && IN6_IS_ADDR_LOOPBACK(&address);
}

}  // namespace

std::optional<ServerAddress> ServerAddress::Parse(std::string_view text, std::string& error) {
  const std::string whole(text);
  if (text.find('@') != std::string_view::npos) {
    error = "an address of a daemon has no user and no password. Write HOST:PORT, as in 127.0.0.1:7443.";
    return std::nullopt;
  }
  if (text.starts_with("unix:")) {
    if (text.size() > 5) return ServerAddress(whole, whole);
    error = "\"" + whole + "\" names no socket. Write unix:/path/of/the/socket.";
    return std::nullopt;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || !IsPort(text.substr(colon + 1))) {
    error =
        "\"" + whole + "\" is no address of a daemon. Write HOST:PORT with a port of 1 to 65535, as in 127.0.0.1:7443.";
    return std::nullopt;
  }
  const std::string port(text.substr(colon + 1));
  std::string host(text.substr(0, colon));
  if (host == "localhost") host = "127.0.0.1";
  if (IsLoopbackV4(host)) return ServerAddress(whole, "ipv4:" + host + ":" + port);
  if (host.size() > 2 && host.starts_with('[') && host.ends_with(']') &&
      IsLoopbackV6(host.substr(1, host.size() - 2))) {
    return ServerAddress(whole, "ipv6:" + host + ":" + port);
  }
  error = "\"" + whole +
          "\" is not a loopback address. This connection is not encrypted, so it goes to 127.0.0.1:PORT, [::1]:PORT or "
          "unix:PATH only: run the command on the daemon's host.";
  return std::nullopt;
}

}  // namespace holdfast::cli
