#include "tools/cli/repeated_call.h"

#include <algorithm>
#include <utility>

#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

// The daemon answers an extraction within two seconds.
constexpr std::chrono::seconds kOneCall{5};

bool MayBeRepeated(const CallOutcome& outcome) {
  return outcome.end == CallEnd::kSilence || outcome.status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED ||
         MayHelpToRetry(outcome.status);
}

}  // namespace

RequestId GivenOrDrawn(const Environment& environment, const std::string& given) {
  if (!given.empty()) return {given, false};
  return {environment.draw_id(), true};
}

RepeatedCall::RepeatedCall(Invocation& invocation, std::string name, const RequestId& id)
    : invocation_(invocation),
      name_(std::move(name)),
      id_(id),
      line_(invocation.environment),
      backoff_(session::BackoffSettings(), invocation.environment.random) {}

Result RepeatedCall::Run(const std::function<grpc::Status(grpc::ClientContext*)>& method) {
  while (true) {
    const auto begin = std::chrono::steady_clock::now();
    const CallOutcome outcome = CallWithin(invocation_, std::min<std::chrono::microseconds>(kOneCall, Left()), method);
    spent_ += std::chrono::ceil<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    ++calls_;
    line_.Clear();
    if (outcome.status.ok()) return Result::Done();
    if (!WaitAfter(outcome)) return Failure(outcome);
    if (!invocation_.server.IsConnected()) invocation_.server.Reconnect();
  }
}

bool RepeatedCall::WaitAfter(const CallOutcome& outcome) {
  if (outcome.end == CallEnd::kInterrupted || !MayBeRepeated(outcome)) return false;
  was_there_ = was_there_ || !IsNobodyThere(outcome.status);
  if (!was_there_) return false;
  const auto wait = std::max<std::chrono::microseconds>(backoff_.NextDelay(), AskedWait(outcome.status));
  if (wait >= Left()) return false;
  const std::string cause = ShortCause(outcome.status, outcome.end);
  if (calls_ == 1) {
    line_.Notice(name_ + ": " + cause + "; it is repeated with --request-id " + id_.text + " for at most " +
                 DurationText(invocation_.deadline.count()));
  }
  line_.Show(name_ + ": " + cause + "; called " + CountOf(calls_, "time", "times") + ", " +
             DurationText(std::chrono::microseconds(std::chrono::floor<std::chrono::seconds>(spent_)).count()) +
             " of " + DurationText(invocation_.deadline.count()));
  spent_ += wait;
  interrupted_ = !invocation_.environment.wait(std::chrono::ceil<std::chrono::milliseconds>(wait));
  line_.Clear();
  return !interrupted_;
}

Result RepeatedCall::Failure(const CallOutcome& outcome) const {
  Result failure = interrupted_ ? Result::CouldNotRun("interrupted before " + name_ + " had an answer that stands.")
                                : CallFailure(invocation_, name_, outcome.status, outcome.end);
  const bool sent = outcome.end == CallEnd::kInterrupted || was_there_;
  const bool open = outcome.end == CallEnd::kInterrupted || MayBeRepeated(outcome);
  if ((sent && open) || AskedWait(outcome.status).count() > 0) {
    failure.error += " Repeat it with --request-id " + id_.text + ": it is done once at most.";
  }
  return failure;
}

}  // namespace holdfast::cli
