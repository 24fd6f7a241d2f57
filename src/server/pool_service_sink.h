// The answer of a unary call that changes something: given when its entry is durable.
//
// Life cycle: travels with the command; destroyed without an answer (the process stops) it answers SHUTTING_DOWN.
// Thread: the dispatcher's, or whoever drops it.

#pragma once

#include <memory>
#include <utility>

#include "controller/command.h"
#include "server/read_answer.h"

namespace holdfast::server {

// Response: one of the alternatives of Reply.
template <class Response>
class OperatorSink final : public ReplySink {
 public:
  // response: gRPC's, good until the answer.
  OperatorSink(grpc::ServerUnaryReactor* reactor, Response* response) : answer_(reactor), response_(response) {}

  void Deliver(Reply reply) override {
    if (const auto* rejection = std::get_if<Rejection>(&reply)) return answer_.Finish(StatusOf(*rejection));
    *response_ = std::get<Response>(std::move(reply));
    answer_.Finish(grpc::Status::OK);
  }

 private:
  ReadAnswer answer_;
  Response* const response_;
};

}  // namespace holdfast::server
