// One unary call of raw bytes, and the sink through which the controller answers it.
//
//   a handler ─ UnaryCall ─► UnarySink, with the command ─ Answer (once) ─► Finish
//
// Life cycle: the reactor is gRPC's and good until it is finished, also when the client has cancelled meanwhile; so the
// sink's call is good until it has answered. A sink that is destroyed without an answer (the process stops) answers
// SHUTTING_DOWN: no call is ever left open. Thread: made on gRPC's, answered on any, once.

#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <memory>

#include "controller/command.h"

namespace holdfast::server {

class UnaryCall {
 public:
  // Once a call. response: gRPC's, good until the call is finished. With a reactor of one's own gRPC would say its last
  // word on another thread.
  UnaryCall(grpc::CallbackServerContext& context, grpc::ByteBuffer* response)
      : reactor_(context.DefaultReactor()), response_(response) {}

  // Requires: not answered yet. The call may be gone when it returns.
  void Answer(const Reply& reply) const;

  grpc::ServerUnaryReactor* reactor() const { return reactor_; }

 private:
  grpc::ServerUnaryReactor* reactor_;
  grpc::ByteBuffer* response_;
};

class UnarySink : public ReplySink {
 public:
  explicit UnarySink(const UnaryCall& call) : call_(call) {}
  ~UnarySink() override;
  void Deliver(Reply reply) override;

 private:
  const UnaryCall call_;
  bool answered_ = false;
};

}  // namespace holdfast::server
