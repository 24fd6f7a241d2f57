// Proxies as people run them, on loopback, for as long as the object lives: tinyproxy (HTTP) and microsocks (SOCKS5).
//
// Both listen on 127.0.0.1 and come out at the given address, so that it can be told from the checker's own. A port
// that somebody else took in the meantime is tried anew.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/checker/child_process.h"

namespace holdfast::checker {

inline constexpr const char* kProxyAddress = "127.0.0.2";
inline constexpr const char* kCheckerAddress = "127.0.0.1";

class RealProxy {
 public:
  std::uint16_t port() const { return port_; }

  // `lines` are added to its configuration: BasicAuth, DisableViaHeader, AddHeader, …
  static RealProxy Tinyproxy(const std::vector<std::string>& lines, const std::string& comes_out_at = kProxyAddress);
  // `arguments` are added to its command line: -u, -P.
  static RealProxy Microsocks(const std::vector<std::string>& arguments);

 private:
  std::unique_ptr<ChildProcess> process_;
  std::uint16_t port_ = 0;
};

// In front of a port of 127.0.0.1: takes TLS off what comes and hands on the rest. With it a plain proxy is an HTTPS
// proxy, and a plain judge an https one.
class TlsFront {
 public:
  explicit TlsFront(std::uint16_t behind);

  std::uint16_t port() const { return port_; }
  // PEM: the certificate that its clients have to trust, made once a process.
  static std::string CertificateFile();

 private:
  std::unique_ptr<ChildProcess> process_;
  std::uint16_t port_ = 0;
};

}  // namespace holdfast::checker
