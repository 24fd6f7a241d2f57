// The session machine of one member, with its timer: what WorkerClient and CheckerClient have in common.
//
// Internal to src/client, on the scheduler's thread. Tells the machine what happened, hands its actions on in order,
// comes back at its deadlines, and keeps the words of the last refusal for whoever asks why it ended. Does not send
// anything itself.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/random.h"
#include "client/call_result.h"
#include "client/scheduler.h"
#include "session/session_machine.h"

namespace holdfast::client {

// Uniform numbers for the jitter of backoffs. `source` must outlive it.
session::Backoff::Generator GeneratorFrom(RandomSource& source);

class MemberSession {
 public:
  struct Events {
    std::function<void(LifecycleState state)> on_state;  // it changed
    std::function<void(session::SessionAction action)> carry_out;
  };

  MemberSession(const session::BackoffSettings& backoff, session::Backoff::Generator generator,
                std::shared_ptr<Scheduler> scheduler, Events events);
  ~MemberSession();

  // May call on_state and carry_out, several times, from within.
  void Tell(const session::SessionEvent& event);
  // A call was refused, and what that means for the session.
  void TellRefused(session::SessionEventKind kind, const CallResult& result);
  // The registration was refused, or had no answer: for good, or to be tried again.
  void TellRegistrationFailed(const CallResult& result);
  // It was answered with something that opens no session.
  void TellRegistrationMakesNoSense(const std::string& problem);

  LifecycleState state() const { return machine_.state(); }
  session::SessionEnd end() const { return machine_.end(); }
  std::uint32_t reconnect_attempt() const { return machine_.reconnect_attempt(); }
  // Why the last call was refused that meant something for the session; empty: none was.
  const std::string& last_words() const { return last_words_; }

 private:
  void ArmTimer();

  session::SessionMachine machine_;
  const std::shared_ptr<Scheduler> scheduler_;
  const Events events_;
  std::string last_words_;
  Scheduler::TimerId timer_ = 0;
};

}  // namespace holdfast::client
