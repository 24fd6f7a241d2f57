// What an answer or the end of a stream means for the session machine, beyond the call that it belongs to.
//
// Called by the links of both clients; pure. Nothing: the link alone has to react.

#pragma once

#include <optional>

#include "client/reject_reaction.h"
#include "session/session_event.h"

namespace holdfast::client {

// DRAINING and CLOSED in any answer are told.
inline std::optional<session::SessionEventKind> HintOf(controlplane::v1::SessionState state) {
  if (state == controlplane::v1::SESSION_STATE_DRAINING) return session::SessionEventKind::kDrainTold;
  if (state == controlplane::v1::SESSION_STATE_CLOSED) return session::SessionEventKind::kClosedTold;
  return std::nullopt;
}

// Of a refused call.
inline std::optional<session::SessionEventKind> HintOf(Reaction reaction) {
  if (reaction == Reaction::kRegisterAnew) return session::SessionEventKind::kSessionRefused;
  if (reaction == Reaction::kStop) return session::SessionEventKind::kRefusedForGood;
  return std::nullopt;
}

// Of a stream that ended. A watch that was malformed would be refused again: only a mended client can go on.
inline std::optional<session::SessionEventKind> HintOfStreamEnd(const CallResult& result) {
  if (result.ok()) return std::nullopt;
  const Reaction reaction = ReactionTo(result);
  return HintOf(reaction == Reaction::kMend ? Reaction::kStop : reaction);
}

}  // namespace holdfast::client
