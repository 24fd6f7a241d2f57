#include "base/session_lifecycle.h"

namespace holdfast {

static_assert(!LifecycleEdgeAllowed(LifecycleState::kDraining, LifecycleState::kActive), "no way back from draining");

std::string_view LifecycleStateName(LifecycleState state) {
  switch (state) {
    case LifecycleState::kConnecting:
      return "connecting";
    case LifecycleState::kHandshaking:
      return "handshaking";
    case LifecycleState::kActive:
      return "active";
    case LifecycleState::kDraining:
      return "draining";
    case LifecycleState::kClosed:
      return "closed";
    case LifecycleState::kReconnecting:
      return "reconnecting";
  }
  return "unknown";
}

std::string_view LifecycleEventName(LifecycleEvent event) {
  switch (event) {
    case LifecycleEvent::kConnected:
      return "connected";
    case LifecycleEvent::kHandshakeDone:
      return "handshake done";
    case LifecycleEvent::kDrainBegun:
      return "drain begun";
    case LifecycleEvent::kEnded:
      return "ended";
    case LifecycleEvent::kReconnectBegun:
      return "reconnect begun";
    case LifecycleEvent::kBackoffOver:
      return "backoff over";
  }
  return "unknown";
}

}  // namespace holdfast
