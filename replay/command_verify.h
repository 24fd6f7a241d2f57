// `holdfast-replay verify`: decides the whole log again, and says what it found.
//
// Called by the tool (replay.h) and by tests. Thread: the caller's, with helpers of its own.

#pragma once

#include "events/event_log.h"
#include "replay/environment.h"
#include "replay/replay_exit.h"
#include "replay/verify_log.h"

namespace holdfast::replay {

struct VerifyCommand {
  VerifyOptions options;
  bool json = false;
};

ReplayExit RunVerify(const EventLog& log, const VerifyCommand& command, const Environment& environment);

// What is said of a log that cannot be gone on with because a logged event breaks an invariant of the state itself.
// Written by the hook of CHECK, just before the process ends.
void TellBrokenFold(std::uint64_t sequence, const VerifyCommand& command, const Environment& environment);

}  // namespace holdfast::replay
