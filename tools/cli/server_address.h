// Where the daemon listens, as a person types it: HOST:PORT, [IPV6]:PORT or unix:PATH.
//
// Called once, when the command line is read. Pure. Plaintext may go to a literal loopback address or a unix socket and
// nowhere else, so anything else is refused here, before a byte leaves the machine. "localhost" is taken for 127.0.0.1
// and never looked up.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli {

class ServerAddress {
 public:
  // Absent: refused, and `error` says why and what to write instead.
  static std::optional<ServerAddress> Parse(std::string_view text, std::string& error);

  // As it was typed: for messages.
  const std::string& text() const { return text_; }
  // As gRPC wants it: "ipv4:127.0.0.1:7443".
  const std::string& target() const { return target_; }

 private:
  ServerAddress(std::string text, std::string target) : text_(std::move(text)), target_(std::move(target)) {}

  std::string text_;
  std::string target_;
};

}  // namespace holdfast::cli
