// A call that may be repeated, since a request_id names it: made again under that id until an answer came that stands.
//
//   call ─► answer, or a refusal that stands
//     ▲└──► none came, or "not now" ─► wait ─┐         (out of time, Ctrl-C ─► what went wrong last)
//     └──────────────────────────────────────┘
//
// Made by the commands of clients, used once. Thread: the command's. The command's deadline is for all of it: calls and
// waits. Promises that each call goes out under the same request_id, so it is done once at most, and that whoever is
// left without an answer is told the id. A daemon that was never there is told at once.

#pragma once

#include <grpcpp/client_context.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "session/backoff.h"
#include "tools/cli/call.h"
#include "tools/cli/progress_line.h"

namespace holdfast::cli {

struct RequestId {
  std::string text;
  bool drawn = false;  // by this program, so nobody else knows it
};

// `given` empty: draws one.
RequestId GivenOrDrawn(const Environment& environment, const std::string& given);

class RepeatedCall {
 public:
  // `name` is the call's: "Extract". `invocation` and `id` outlive this.
  RepeatedCall(Invocation& invocation, std::string name, const RequestId& id);

  Result Run(const std::function<grpc::Status(grpc::ClientContext*)>& method);

 private:
  // Whether it is worth another try; shows that it waits.
  bool WaitAfter(const CallOutcome& outcome);
  Result Failure(const CallOutcome& outcome) const;
  std::chrono::microseconds Left() const { return invocation_.deadline - spent_; }

  Invocation& invocation_;
  const std::string name_;
  const RequestId& id_;
  ProgressLine line_;
  session::Backoff backoff_;
  std::chrono::microseconds spent_{};
  std::uint64_t calls_ = 0;
  bool was_there_ = false;
  bool interrupted_ = false;  // while it waited
};

}  // namespace holdfast::cli
