// What runs through a proxy, and how much more may: the counters of its owner's latest accepted report, as far as they
// hold.
//
// Called by whoever shows or hands out capacity, on the state's thread. Pure.
// Promises: missing, late or inconsistent never reads as free: without a report that holds there is no available
// capacity. Does not: know machines with several addresses; each proxy stands for itself.

#pragma once

#include "projections/controller_state.h"

namespace holdfast {

struct ProxyUse {
  std::uint32_t active = 0;
  std::uint32_t reserved = 0;
  std::uint32_t available = 0;  // capacity that nothing uses or has reserved; 0 unless everything below holds
};

// Counters hold while the owner's session is open and not over at `now`, its runtime TTL has not passed, no fence is
// closed, and the address is owned under the session's epoch. There is available capacity where besides the session is
// active, the address is GRANTED, the proxy may be used, and the owner was shown it so. Requires: the proxy is in the
// pool.
ProxyUse UseOf(const ControllerState& state, ProxyKey proxy, LogTime now);

}  // namespace holdfast
