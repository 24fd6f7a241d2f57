// Which addresses a checker dials: a list of proxies comes from others and must not make it knock at its own network.
//
// Pure, any thread. Never: link-local, multicast, unspecified, broadcast, reserved, the rest of 0/8. Loopback, private
// and shared addresses only where the operator allowed them (--allow-private), and with --loopback-only nothing else.
// Looked at twice: for a host that is written as an address when the task comes, and for every host when a socket is to
// be made, with the very address that it is made for, so that no resolver can slip one in between.

#pragma once

#include <sys/socket.h>

#include <optional>
#include <string_view>

#include "base/ip_address.h"

namespace holdfast::checker {

class AddressPolicy {
 public:
  // loopback_only: loopback and nothing else.
  explicit AddressPolicy(bool allow_private, bool loopback_only = false)
      : allow_private_(allow_private), loopback_only_(loopback_only) {}

  // Nothing: it may be dialled. Else the kind that forbids it.
  std::optional<AddressKind> Refuses(const IpAddress& address) const;
  // Of a family that is not IP: reserved.
  std::optional<AddressKind> Refuses(const sockaddr& address) const;
  // A host as in a URL, IPv6 with or without brackets. A name is not refused, but for localhost: its addresses are
  // looked at when they are known.
  std::optional<AddressKind> RefusesHost(std::string_view host) const;

 private:
  std::optional<AddressKind> RefusesKind(AddressKind kind) const;

  bool allow_private_;
  bool loopback_only_;
};

// Nothing for a family that is not IP.
std::optional<IpAddress> AddressOf(const sockaddr& address);

}  // namespace holdfast::checker
