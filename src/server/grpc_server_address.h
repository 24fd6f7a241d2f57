// Where the daemon listens: a literal loopback address with a port, or a unix socket. Anything else would need mTLS,
// which this version does not have, and is refused.
//
// Thread: plain values. Names are not resolved: what `localhost` means is not ours to know.

#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::server {

struct ListenAddress {
  std::string host;        // "127.0.0.1", "::1"; empty with a unix socket
  std::uint16_t port = 0;  // 0: any free one
  std::string path;        // of a unix socket; empty otherwise

  bool is_unix() const { return !path.empty(); }
  // "127.0.0.1:7443", "[::1]:7443", "unix:PATH": what a client is given.
  std::string text() const;
};

// "HOST:PORT", "[IPV6]:PORT" or "unix:PATH". InvalidArgument: not one of them; FailedPrecondition: not loopback.
absl::StatusOr<ListenAddress> ParseListenAddress(std::string_view text);

}  // namespace holdfast::server
