#include "client/member_session.h"

#include <array>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/reject_reaction.h"

namespace holdfast::client {

using session::SessionAction;
using session::SessionEvent;
using session::SessionEventKind;

session::Backoff::Generator GeneratorFrom(RandomSource& source) {
  return [&source] {
    std::array<std::uint8_t, 8> bytes;
    source.Fill(bytes);
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data(), bytes.size());
    return number;
  };
}

MemberSession::MemberSession(const session::BackoffSettings& backoff, session::Backoff::Generator generator,
                             std::shared_ptr<Scheduler> scheduler, Events events)
    : machine_(backoff, std::move(generator)), scheduler_(std::move(scheduler)), events_(std::move(events)) {}

MemberSession::~MemberSession() { scheduler_->Cancel(timer_); }

void MemberSession::Tell(const SessionEvent& event) {
  const LifecycleState before = machine_.state();
  const std::vector<SessionAction> actions = machine_.On(event, scheduler_->Now());
  if (machine_.state() != before) events_.on_state(machine_.state());
  for (SessionAction action : actions) events_.carry_out(action);
  ArmTimer();
}

void MemberSession::TellRefused(SessionEventKind kind, const CallResult& result) {
  last_words_ = WordsOf(result);
  Tell({.kind = kind, .retry_after = RetryAfter(result)});
}

void MemberSession::TellRegistrationFailed(const CallResult& result) {
  const Reaction reaction = ReactionTo(result);
  const bool for_good = reaction == Reaction::kStop || reaction == Reaction::kMend;
  TellRefused(for_good ? SessionEventKind::kRefusedForGood : SessionEventKind::kRegisterFailed, result);
}

void MemberSession::TellRegistrationMakesNoSense(const std::string& problem) {
  last_words_ = absl::StrCat("the registration's answer makes no sense: ", problem);
  Tell({.kind = SessionEventKind::kRegisterFailed});
}

void MemberSession::ArmTimer() {
  scheduler_->Cancel(std::exchange(timer_, 0));
  const std::optional<BootTime> deadline = machine_.NextDeadline();
  if (!deadline) return;
  timer_ = scheduler_->RunAt(*deadline, [this] {
    timer_ = 0;
    Tell({.kind = SessionEventKind::kTimer});
  });
}

}  // namespace holdfast::client
