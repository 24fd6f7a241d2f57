// What the calls of workers and checkers have in common: from the raw bytes of a request to a command, and the sinks
// that answer it.
//
// Called by WorkerService and CheckerService on gRPC's threads. A WatchSink is made with its stream, travels with the
// command, and opens or rejects the stream on the dispatcher's thread; dropped without an answer (the process stops) it
// rejects it with SHUTTING_DOWN. Does not: judge a request (controller/validate.h), or count what was shed.

#pragma once

#include <grpcpp/support/server_callback.h>

#include <memory>
#include <string>

#include "server/call_context.h"
#include "server/call_unary.h"

namespace holdfast::server {

// An input that wraps the request's own bytes, from a call over loopback; not parsed yet.
Command MemberCommand(std::string input, const grpc::CallbackServerContext& call_context);

// What a caller hears whose bytes are not the message of the call.
Rejection NoRequest();

// Answers at once; returns what the handler does.
grpc::ServerUnaryReactor* Refused(const UnaryCall& call, const Rejection& rejection);

// Answers a Watch that never becomes a stream.
class EndedStream final : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  explicit EndedStream(const Rejection& rejection);
  void OnDone() override { delete this; }
};

// The answer to a Watch opens its stream.
class WatchSink final : public ReplySink {
 public:
  explicit WatchSink(std::shared_ptr<WatchStream> stream) : stream_(std::move(stream)) {}
  ~WatchSink() override;
  void Deliver(Reply reply) override;

 private:
  std::shared_ptr<WatchStream> stream_;
};

// Has a command with a registration that was parsed and judged decided, unless as many wait as may or the disk is low.
// member: who registers.
grpc::ServerUnaryReactor* SubmitRegistration(const CallContext& context, const UnaryCall& call, Command command,
                                             const std::string& member);

}  // namespace holdfast::server
