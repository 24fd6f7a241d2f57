// A call that did not end well, in words and as an exit code: unreachable, refused, out of time, interrupted.
//
// Called after each call, with its status and its guard's verdict. Pure but for asking whether the connection stands.
// The words say what was wrong, where (call, field) and what to do; the reasons are those of the contract
// (ErrorDetail). Nothing that was sent is repeated in them.

#pragma once

#include <google/protobuf/duration.pb.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <string>
#include <string_view>

#include "controlplane/v1/types.pb.h"
#include "tools/cli/call_guard.h"
#include "tools/cli/invocation.h"

namespace holdfast::cli {

// Requires: the status is not OK, or the guard ended the call. `call` is its name: "ListSessions".
Result CallFailure(const Invocation& invocation, std::string_view call, const grpc::Status& status, CallEnd end);

// Whether waiting and trying again can help: the connection broke, or the daemon asks to come back.
bool MayHelpToRetry(const grpc::Status& status);

// Whether nobody took the connection: nothing of the call has left this machine.
bool IsNobodyThere(const grpc::Status& status);

// How long the daemon asks to wait before another call; 0: it does not.
std::chrono::microseconds AskedWait(const grpc::Status& status);

// Why, in a few words, for a line that is shown while it goes on: "POOL_UNAVAILABLE", "no answer came".
std::string ShortCause(const grpc::Status& status, CallEnd end);

}  // namespace holdfast::cli
