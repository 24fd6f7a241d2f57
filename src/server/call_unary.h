// One unary call, from its arrival to gRPC's last word about it, and the sink through which the controller answers it.
//
//   new UnaryCall ─► Answer (once) ─► Finish ─► OnDone ─► deleted
//
// Life cycle: the call owns itself until OnDone, and gRPC says OnDone only after Finish; so the sink's pointer is good
// until it has answered, also when the client has cancelled meanwhile. A sink that is destroyed without an answer (the
// process stops) answers SHUTTING_DOWN: no call is ever left open. Thread: made on gRPC's, answered on any, once.

#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <memory>

#include "controller/command.h"

namespace holdfast::server {

class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  // response: gRPC's, good until OnDone.
  explicit UnaryCall(grpc::ByteBuffer* response) : response_(response) {}

  // Requires: not answered yet. The call may be gone when it returns.
  void Answer(const Reply& reply);

  void OnDone() override { delete this; }

 private:
  grpc::ByteBuffer* const response_;
};

class UnarySink : public ReplySink {
 public:
  explicit UnarySink(UnaryCall* call) : call_(call) {}
  ~UnarySink() override;
  void Deliver(Reply reply) override;

 private:
  UnaryCall* call_;  // nullptr: answered
};

}  // namespace holdfast::server
