// The life of a session, one table for every link and for both of its ends.
//
//     connecting ─► handshaking ─► active ─► draining ─► closed ─► reconnecting ─► connecting
//          │             │            └──────────────────► ▲   (only the end that reconnects)
//          └─────────────┴─────────────────────────────────┘
//
// Called by the session machines of the clients and by the controller's session projection; pure, any thread.
// Promises: nothing leads from draining back to active, and closed never becomes usable again under the same id.
// Does not know timers, ids or why a session ended: those belong to the machine that walks the table.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast {

// The numbers are those of controlplane.v1.SessionState.
enum class LifecycleState : std::uint8_t {
  kConnecting = 1,
  kHandshaking = 2,
  kActive = 3,
  kDraining = 4,
  kClosed = 5,
  kReconnecting = 6,
};

enum class LifecycleEvent : std::uint8_t {
  kConnected,       // the peer answers; a session id is known, or the first frame may be sent
  kHandshakeDone,   // version, capabilities and session id are agreed; above gRPC: the first positive ACK
  kDrainBegun,      // either end asked for a drain
  kEnded,           // broken, refused, drained, timed out, superseded
  kReconnectBegun,  // the end that reconnects begins its backoff
  kBackoffOver,     // the backoff is over
};

inline constexpr std::array kLifecycleStates = {LifecycleState::kConnecting, LifecycleState::kHandshaking,
                                                LifecycleState::kActive,     LifecycleState::kDraining,
                                                LifecycleState::kClosed,     LifecycleState::kReconnecting};
inline constexpr std::array kLifecycleEvents = {LifecycleEvent::kConnected,      LifecycleEvent::kHandshakeDone,
                                                LifecycleEvent::kDrainBegun,     LifecycleEvent::kEnded,
                                                LifecycleEvent::kReconnectBegun, LifecycleEvent::kBackoffOver};

// The state after `event`, or nothing where the event is not allowed in `state`.
constexpr std::optional<LifecycleState> NextLifecycleState(LifecycleState state, LifecycleEvent event) {
  using State = LifecycleState;
  switch (event) {
    case LifecycleEvent::kConnected:
      if (state == State::kConnecting) return State::kHandshaking;
      break;
    case LifecycleEvent::kHandshakeDone:
      if (state == State::kHandshaking) return State::kActive;
      break;
    case LifecycleEvent::kDrainBegun:
      // A session that was never given work has nothing to drain.
      if (state == State::kHandshaking) return State::kClosed;
      if (state == State::kActive) return State::kDraining;
      break;
    case LifecycleEvent::kEnded:
      if (state != State::kClosed && state != State::kReconnecting) return State::kClosed;
      break;
    case LifecycleEvent::kReconnectBegun:
      if (state == State::kClosed) return State::kReconnecting;
      break;
    case LifecycleEvent::kBackoffOver:
      if (state == State::kReconnecting) return State::kConnecting;
      break;
  }
  return std::nullopt;
}

// Whether some event leads from `from` to `to`. No state leads to itself.
constexpr bool LifecycleEdgeAllowed(LifecycleState from, LifecycleState to) {
  for (LifecycleEvent event : kLifecycleEvents) {
    if (NextLifecycleState(from, event) == to) return true;
  }
  return false;
}

// Only an active session is given work.
constexpr bool MayTakeNewWork(LifecycleState state) { return state == LifecycleState::kActive; }

// "connecting", "handshaking", ...; "unknown" for a number outside the enumeration.
std::string_view LifecycleStateName(LifecycleState state);
std::string_view LifecycleEventName(LifecycleEvent event);

}  // namespace holdfast
