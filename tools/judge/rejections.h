// Which reasons the contract gives to which call, under which code: the judge's own copy of the table.
//
// Pure; any thread.

#pragma once

#include <optional>
#include <string>

#include "tools/judge/happening.h"

namespace holdfast::judge {

enum class CallKind : std::uint8_t { kRegister, kWatch, kAck, kReport, kOutcomes, kExtract, kRelease };

std::string CallKindName(CallKind call);

// What is wrong with this refusal of a well formed call, or nothing. A refusal that gRPC itself makes (unavailable,
// deadline, cancelled, too large) needs no detail. Requires: !end.ok().
std::optional<std::string> WrongRejection(CallKind call, const CallEnd& end);

}  // namespace holdfast::judge
