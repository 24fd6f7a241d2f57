// How commands call: one answer with a deadline, or a stream of answers with a limit on its silence.
//
// Called by the commands. Thread: the command's. Promises that Ctrl-C ends any call, and that every failure comes back
// as a Result in words (call_failure.h). Does not retry.

#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

#include "tools/cli/call_failure.h"
#include "tools/cli/call_guard.h"
#include "tools/cli/invocation.h"

namespace holdfast::cli {

// How a call of one answer ended.
struct CallOutcome {
  grpc::Status status;
  CallEnd end = CallEnd::kByItself;
};

// `method` is a stub's: `[&](auto* context, auto& request, auto* response) { return stub.GetStatus(...); }`.
template <class Method>
CallOutcome CallWithin(Invocation& invocation, std::chrono::microseconds limit, Method method) {
  grpc::ClientContext context;
  CallGuard guard(context, invocation.environment.interrupt, limit);
  CallOutcome outcome;
  outcome.status = method(&context);
  outcome.end = guard.end();
  return outcome;
}

// The common case: what went wrong, in words.
template <class Method>
Result CallOnce(Invocation& invocation, std::string_view name, Method method) {
  const CallOutcome outcome = CallWithin(invocation, invocation.deadline, method);
  return outcome.status.ok() ? Result::Done() : CallFailure(invocation, name, outcome.status, outcome.end);
}

// How a stream of answers ended.
struct StreamEnd {
  grpc::Status status;
  CallEnd end = CallEnd::kByItself;
  bool enough = false;  // the consumer said so
};

// Opens with `open(&context)` and hands each message to `consume`, which returns whether it wants more.
template <class Message, class Open>
StreamEnd ReadStream(Invocation& invocation, std::optional<std::chrono::microseconds> silence, Open open,
                     const std::function<bool(const Message&)>& consume) {
  grpc::ClientContext context;
  CallGuard guard(context, invocation.environment.interrupt, silence);
  const std::unique_ptr<grpc::ClientReader<Message>> reader = open(&context);
  StreamEnd ended;
  Message message;
  while (reader->Read(&message)) {
    guard.Touch();
    if (consume(message)) continue;
    ended.enough = true;
    context.TryCancel();
    break;
  }
  ended.status = reader->Finish();
  ended.end = guard.end();
  return ended;
}

// The common case: all of it, once.
template <class Message, class Open>
Result CallStream(Invocation& invocation, std::string_view name, Open open,
                  const std::function<bool(const Message&)>& consume) {
  const StreamEnd ended = ReadStream<Message>(invocation, invocation.deadline, open, consume);
  if (ended.enough || ended.status.ok()) return Result::Done();
  return CallFailure(invocation, name, ended.status, ended.end);
}

}  // namespace holdfast::cli
