// What a status of the pool store means for the call that got it.
//
// Called by the projector to choose what to do next, and by the stores to say it. Thread: pure functions. Promises:
// each status of a store has exactly one meaning. Does not cover refusals: these are answers (Verdict in pool_store.h).

#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <string>

namespace holdfast::pool {

enum class Trouble : std::uint8_t {
  kNone,
  kUnreachable,   // nobody took the call: nothing was done. Try again later
  kTimedOut,      // in doubt: it was sent, and no answer came in time. The same call again is safe
  kCutOff,        // in doubt: it was sent, and the connection broke. The same call again is safe
  kDenied,        // user, password or rights: an operator has to see to it
  kWrongAnswer,   // the store answered what it never should: an operator has to see to it, or rebuild it
  kWrongRequest,  // the call breaks what its declaration asks for: nothing was done
};

Trouble TroubleOf(const absl::Status& status);
// Whether the call may have taken effect, or may yet.
bool IsInDoubt(const absl::Status& status);

absl::Status Unreachable(const std::string& what);
absl::Status TimedOut(const std::string& what);
absl::Status CutOff(const std::string& what);
absl::Status Denied(const std::string& what);
absl::Status WrongAnswer(const std::string& what);
absl::Status WrongRequest(const std::string& what);
// Of a call that the state of its store object does not allow.
absl::Status WrongMoment(const std::string& what);

}  // namespace holdfast::pool
