// The session of a member (worker or checker) above gRPC, as a pure machine: on(event, now) -> actions.
//
//     connecting ──registered──► handshaking ──positive ACK──► active ──drain──► draining
//         │ not answered              │ refused, silent            │                  │ closed
//         └───────────► closed ◄──────┴────────────────────────────┴──────────────────┘
//                          └─► reconnecting ──backoff over──► connecting        (unless it is final)
//
// The connection is the session's heartbeat, not one stream: a broken stream is no event here. Closed comes with a
// refusal, an end that was told, or silence for session_ttl.
// A checker's positive ACK is the controller's word that its stream of tasks is attached.
// Called by MemberSession (src/client), on its thread; does nothing by itself: the caller carries the actions out in
// order and calls again with kTimer at NextDeadline(). Every change of state is an edge of base/session_lifecycle.h.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/session_lifecycle.h"
#include "session/backoff.h"
#include "session/session_event.h"

namespace holdfast::session {

enum class SessionAction : std::uint8_t {
  kRegister,      // send a registration
  kBeginSession,  // open the stream, start reporting
  kStopNewWork,   // no new request from here on
  kReportDrain,   // tell the controller that this member drains
  kEndSession,    // drop stream and calls of this session; what was unanswered has failed
  kFinished,      // final: nothing more will happen, see end()
};

enum class SessionEnd : std::uint8_t {
  kNotYet,
  kStopped,         // by kStop
  kDrained,         // its own drain is over: the controller says that the session is closed
  kDrainTimedOut,   // its own drain was not confirmed in time
  kRefusedForGood,  // no retry will help
};

class SessionMachine {
 public:
  SessionMachine(BackoffSettings settings, Backoff::Generator generator);

  std::vector<SessionAction> On(const SessionEvent& event, BootTime now);

  // When to come back with kTimer; nothing: only another event can change anything.
  std::optional<BootTime> NextDeadline() const;

  LifecycleState state() const { return state_; }
  SessionEnd end() const { return end_; }
  bool leaving() const { return leaving_; }  // its own drain was asked for
  std::uint32_t reconnect_attempt() const { return backoff_.attempts(); }

 private:
  using Actions = std::vector<SessionAction>;

  bool Walk(LifecycleEvent event);
  bool InSession() const;
  void Registered(const SessionEvent& event, BootTime now, Actions& actions);
  void Over(BootTime now, std::optional<Duration> retry_after, Actions& actions);
  void Finish(SessionEnd end, BootTime now, Actions& actions);
  void DrainTold(BootTime now, Actions& actions);
  void DrainRequested(const SessionEvent& event, BootTime now, Actions& actions);
  void Timer(BootTime now, Actions& actions);

  Backoff backoff_;
  LifecycleState state_ = LifecycleState::kConnecting;
  SessionEnd end_ = SessionEnd::kNotYet;
  bool started_ = false;
  bool leaving_ = false;
  Duration session_ttl_{};
  BootTime last_heard_{};
  std::optional<BootTime> reconnect_at_;
  std::optional<BootTime> leave_by_;
};

}  // namespace holdfast::session
