// Why a check came to no verdict: the checker's own trouble, which says nothing of the proxy.
//
// A plain value; counted and printed, never sent (an observation only says INCONCLUSIVE).

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast::checker {

enum class Trouble : std::uint8_t {
  kNone,
  kMalformedTask,  // an endpoint, target or timeout that is none
  kUnknownLevel,
  kNotConfigured,   // no echo for BASIC, no judge for EGRESS; or an IPv6 echo for a SOCKS4 proxy
  kUnknownSecret,   // secret_ref is neither in the file nor in the environment
  kRefusedAddress,  // address_policy.h
  kDirectPath,      // what the proxy failed at does not work without it either, or gave no answer in time
  kResolver,        // a name that SOCKS4 and SOCKS5 have the checker look up was not found
  kResources,       // no descriptor, port, memory or certificate file left for it, or no time
};

inline constexpr std::array<std::string_view, 9> kTroubleNames = {"none",           "malformed_task", "unknown_level",
                                                                  "not_configured", "unknown_secret", "refused_address",
                                                                  "direct_path",    "resolver",       "resources"};

constexpr std::string_view TroubleName(Trouble trouble) { return kTroubleNames[static_cast<std::size_t>(trouble)]; }

}  // namespace holdfast::checker
