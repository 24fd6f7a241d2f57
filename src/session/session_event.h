// What a member's session machine hears. Plain values; one event is one fact, whoever heard it.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "session/boot_time.h"

namespace holdfast::session {

enum class SessionEventKind : std::uint8_t {
  kStart,           // begin: register
  kRegistered,      // the registration was answered; carries session_ttl
  kRegisterFailed,  // it was not, or "later"; may carry retry_after
  kCallSucceeded,   // any call of this session was answered well: the controller hears it
  kAckAccepted,     // a positive ACK was accepted; of a checker: its stream of tasks is attached
  kSessionRefused,  // this session is over: unknown, superseded, expired, closed, epoch stale or ahead
  kRefusedForGood,  // no retry will help: protocol version, identity, malformed
  kDrainTold,       // a drain notice, or the state "draining" in an answer
  kClosedTold,      // the state "closed" in an answer
  kDrainRequested,  // this member wants to stop; may carry the longest time to wait for it (drain_bound)
  kStop,            // stop at once
  kTimer,           // the deadline that the machine named has come (or somebody looks again)
};

inline constexpr SessionEventKind kSessionEventKinds[] = {
    SessionEventKind::kStart,          SessionEventKind::kRegistered,  SessionEventKind::kRegisterFailed,
    SessionEventKind::kCallSucceeded,  SessionEventKind::kAckAccepted, SessionEventKind::kSessionRefused,
    SessionEventKind::kRefusedForGood, SessionEventKind::kDrainTold,   SessionEventKind::kClosedTold,
    SessionEventKind::kDrainRequested, SessionEventKind::kStop,        SessionEventKind::kTimer};

struct SessionEvent {
  SessionEventKind kind = SessionEventKind::kTimer;
  Duration session_ttl = Duration::zero();             // with kRegistered
  std::optional<Duration> retry_after = std::nullopt;  // with kRegisterFailed, kSessionRefused
  Duration drain_bound = Duration::zero();             // with kDrainRequested
};

std::string_view SessionEventName(SessionEventKind kind);

}  // namespace holdfast::session
