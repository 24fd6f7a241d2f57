// One thing that should not have happened, with all its numbers.
//
// A plain value. `kind` says which promise was broken, `text` the whole story in one line.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::judge {

enum class ViolationKind : std::uint8_t {
  kTwoHolders,  // two processes may use one address at one moment
  kWorkerUse,   // a worker used what it may not: a fault of the worker
  kChecksum,    // a checksum does not fit its content
  kUpdate,      // an update against the contract
  kAnswer,      // an answer against the contract
  kState,       // a session state that no edge leads to
  kTime,        // log time went back
  kRejection,   // a refusal with a reason, a code or a detail that the contract does not give
  kHealth,      // the pool's state of a proxy does not follow what the checkers saw
};

constexpr std::string_view ViolationKindName(ViolationKind kind) {
  constexpr std::string_view kNames[] = {"two_holders", "worker_use", "checksum",  "update", "answer",
                                         "state",       "time",       "rejection", "health"};
  return kNames[static_cast<std::size_t>(kind)];
}

struct Violation {
  ViolationKind kind = ViolationKind::kAnswer;
  std::int64_t at_us = 0;
  std::string text;
};

}  // namespace holdfast::judge
