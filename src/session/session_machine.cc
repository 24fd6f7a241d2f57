#include "session/session_machine.h"

#include <algorithm>
#include <utility>

namespace holdfast::session {

std::string_view SessionEventName(SessionEventKind kind) {
  switch (kind) {
    case SessionEventKind::kStart:
      return "start";
    case SessionEventKind::kRegistered:
      return "registered";
    case SessionEventKind::kRegisterFailed:
      return "register failed";
    case SessionEventKind::kCallSucceeded:
      return "call succeeded";
    case SessionEventKind::kAckAccepted:
      return "ack accepted";
    case SessionEventKind::kSessionRefused:
      return "session refused";
    case SessionEventKind::kRefusedForGood:
      return "refused for good";
    case SessionEventKind::kDrainTold:
      return "drain told";
    case SessionEventKind::kClosedTold:
      return "closed told";
    case SessionEventKind::kDrainRequested:
      return "drain requested";
    case SessionEventKind::kStop:
      return "stop";
    case SessionEventKind::kTimer:
      return "timer";
  }
  return "unknown";
}

SessionMachine::SessionMachine(BackoffSettings settings, Backoff::Generator generator)
    : backoff_(settings, std::move(generator)) {}

bool SessionMachine::Walk(LifecycleEvent event) {
  const std::optional<LifecycleState> next = NextLifecycleState(state_, event);
  if (next) state_ = *next;
  return next.has_value();
}

bool SessionMachine::InSession() const {
  return state_ == LifecycleState::kHandshaking || state_ == LifecycleState::kActive ||
         state_ == LifecycleState::kDraining;
}

std::vector<SessionAction> SessionMachine::On(const SessionEvent& event, BootTime now) {
  Actions actions;
  if (end_ != SessionEnd::kNotYet) return actions;
  switch (event.kind) {
    case SessionEventKind::kStart:
      if (!started_) actions.push_back(SessionAction::kRegister);
      started_ = true;
      break;
    case SessionEventKind::kRegistered:
      Registered(event, now, actions);
      break;
    case SessionEventKind::kRegisterFailed:
      if (started_ && state_ == LifecycleState::kConnecting) Over(now, event.retry_after, actions);
      break;
    case SessionEventKind::kCallSucceeded:
      if (InSession()) last_heard_ = now;
      break;
    case SessionEventKind::kAckAccepted:
      if (InSession()) last_heard_ = now;
      if (InSession()) backoff_.PositiveAck();
      Walk(LifecycleEvent::kHandshakeDone);
      break;
    case SessionEventKind::kSessionRefused:
    case SessionEventKind::kClosedTold:
      if (InSession()) Over(now, event.retry_after, actions);
      break;
    case SessionEventKind::kRefusedForGood:
      Finish(SessionEnd::kRefusedForGood, now, actions);
      break;
    case SessionEventKind::kDrainTold:
      DrainTold(now, actions);
      break;
    case SessionEventKind::kDrainRequested:
      DrainRequested(event, now, actions);
      break;
    case SessionEventKind::kStop:
      Finish(SessionEnd::kStopped, now, actions);
      break;
    case SessionEventKind::kTimer:
      Timer(now, actions);
      break;
  }
  return actions;
}

void SessionMachine::Registered(const SessionEvent& event, BootTime now, Actions& actions) {
  // An answer to an attempt that was given up meanwhile is ignored: the next attempt repeats its registration_id.
  if (!started_ || !Walk(LifecycleEvent::kConnected)) return;
  session_ttl_ = event.session_ttl;
  last_heard_ = now;
  backoff_.SessionOpened(now);
  actions.push_back(SessionAction::kBeginSession);
}

void SessionMachine::Over(BootTime now, std::optional<Duration> retry_after, Actions& actions) {
  if (leaving_) {
    const bool confirmed = state_ != LifecycleState::kConnecting;
    Finish(confirmed ? SessionEnd::kDrained : SessionEnd::kStopped, now, actions);
    return;
  }
  const bool had_session = InSession();
  Walk(LifecycleEvent::kEnded);
  if (had_session) actions.push_back(SessionAction::kEndSession);
  backoff_.SessionEnded(now);
  Walk(LifecycleEvent::kReconnectBegun);
  reconnect_at_ = now + std::max(backoff_.NextDelay(), retry_after.value_or(Duration::zero()));
}

void SessionMachine::Finish(SessionEnd end, BootTime now, Actions& actions) {
  const bool had_session = InSession();
  Walk(LifecycleEvent::kEnded);
  backoff_.SessionEnded(now);
  end_ = end;
  reconnect_at_.reset();
  leave_by_.reset();
  actions.push_back(SessionAction::kStopNewWork);
  if (had_session) actions.push_back(SessionAction::kEndSession);
  actions.push_back(SessionAction::kFinished);
}

void SessionMachine::DrainTold(BootTime now, Actions& actions) {
  if (state_ == LifecycleState::kActive && Walk(LifecycleEvent::kDrainBegun)) {
    last_heard_ = now;
    actions.push_back(SessionAction::kStopNewWork);
    return;
  }
  // A drain of a session that had not come so far as to be given work ends it.
  if (state_ == LifecycleState::kHandshaking) Over(now, std::nullopt, actions);
}

void SessionMachine::DrainRequested(const SessionEvent& event, BootTime now, Actions& actions) {
  if (leaving_) return;
  leaving_ = true;
  if (!InSession()) {
    Finish(SessionEnd::kStopped, now, actions);
    return;
  }
  leave_by_ = now + event.drain_bound;
  actions.push_back(SessionAction::kStopNewWork);
  actions.push_back(SessionAction::kReportDrain);
  // The controller closes a handshaking session that drains; until it says so there is only the report to send.
  if (state_ == LifecycleState::kActive) Walk(LifecycleEvent::kDrainBegun);
}

void SessionMachine::Timer(BootTime now, Actions& actions) {
  if (leave_by_ && now >= *leave_by_) {
    Finish(SessionEnd::kDrainTimedOut, now, actions);
    return;
  }
  if (reconnect_at_ && now >= *reconnect_at_) {
    reconnect_at_.reset();
    Walk(LifecycleEvent::kBackoffOver);
    actions.push_back(SessionAction::kRegister);
    return;
  }
  if (!leaving_ && InSession() && now - last_heard_ >= session_ttl_) Over(now, std::nullopt, actions);
}

std::optional<BootTime> SessionMachine::NextDeadline() const {
  if (end_ != SessionEnd::kNotYet) return std::nullopt;
  if (leave_by_) return leave_by_;
  if (reconnect_at_) return reconnect_at_;
  if (InSession()) return last_heard_ + session_ttl_;
  return std::nullopt;
}

}  // namespace holdfast::session
