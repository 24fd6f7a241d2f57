// What a worker does when a call was refused: the contract's table, as a function.
//
// Called by the client's links; pure.

#pragma once

#include <cstdint>
#include <optional>

#include "client/call_result.h"
#include "client/client_time.h"

namespace holdfast::client {

enum class Reaction : std::uint8_t {
  kMend,          // a fault of the caller: logged, the same call is never sent again
  kStop,          // no retry will help: stops, says so
  kRegisterAnew,  // the session is over; with backoff
  kWatchAgain,    // the snapshot does not stand: watches again, goes on reporting
  kNewNumber,     // a fault of its own: logs it, takes a new number
  kSendLess,      // sends less
  kWait,          // waits retry_after (or its backoff), tries again, elsewhere if it can
  kRetry,         // no word from the controller's rules: the network, a deadline; backoff
  kNothing,       // nothing to do about it
};

// Requires: !result.ok().
Reaction ReactionTo(const CallResult& result);

// The retry_after of the answer; nothing: not by waiting, or not said.
std::optional<Duration> RetryAfter(const CallResult& result);

}  // namespace holdfast::client
