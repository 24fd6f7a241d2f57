// A unary call of an operator that changes something: an input on its way, and its answer when its entry is durable.
//
//   handler ─► command ─► queue ─► … ─► entry durable ─► sink: the answer
//                                                    └─► (with a session in it) follower: its status ─► the answer
//
// Life cycle: a sink travels with the command; destroyed without an answer (the process stops) it answers
// SHUTTING_DOWN. Thread: handlers on gRPC's, sinks on the dispatcher's, or whoever drops them.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "controller/command.h"
#include "server/read_answer.h"
#include "server/read_context.h"
#include "server/session_status.h"

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

// The same for an answer that shows the member's session: the rule leaves it out, and it is read where everybody reads.
// The follower has folded the entry by then.
template <class Response>
class SessionSink final : public ReplySink {
 public:
  SessionSink(grpc::ServerUnaryReactor* reactor, Response* response, Follower& follower,
              controlplane::v1::SessionKind kind, std::string member_id)
      : answer_(std::make_shared<ReadAnswer>(reactor)),
        response_(response),
        follower_(follower),
        kind_(kind),
        member_id_(std::move(member_id)) {}

  void Deliver(Reply reply) override {
    if (const auto* rejection = std::get_if<Rejection>(&reply)) return answer_->Finish(StatusOf(*rejection));
    *response_ = std::get<Response>(std::move(reply));
    const auto show = [answer = std::exchange(answer_, nullptr), response = response_, kind = kind_,
                       member_id = member_id_](const ControllerState& state) {
      PutSessionStatus(state, kind, member_id, response->mutable_session());
      answer->Finish(grpc::Status::OK);
    };
    follower_.Read(show);  // not run when it has stopped: the answer goes with the function
  }

 private:
  std::shared_ptr<ReadAnswer> answer_;
  Response* const response_;
  Follower& follower_;
  const controlplane::v1::SessionKind kind_;
  const std::string member_id_;
};

// Answers a rejection at once; otherwise queues the input with its sink.
inline void SubmitOperatorInput(const ReadContext& reads, grpc::CallbackServerContext* context,
                                const log::v1::Input& input, const std::optional<Rejection>& rejection,
                                std::unique_ptr<ReplySink> sink) {
  if (rejection) return sink->Deliver(*rejection);
  Command command = MakeCommand(input, kLoopbackPrincipal, context->peer(), std::move(sink));
  if (!reads.loop.Submit(command, CallClass::kOperator)) {
    command.sink->Deliver(Admission::Overloaded(CallClass::kOperator, command.peer));
  }
}

template <class Response>
grpc::ServerUnaryReactor* SubmitOperatorCall(const ReadContext& reads, grpc::CallbackServerContext* context,
                                             const log::v1::Input& input, const std::optional<Rejection>& rejection,
                                             Response* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  SubmitOperatorInput(reads, context, input, rejection, std::make_unique<OperatorSink<Response>>(reactor, response));
  return reactor;
}

// Request: names a member by kind and member_id.
template <class Request, class Response>
grpc::ServerUnaryReactor* SubmitSessionCall(const ReadContext& reads, grpc::CallbackServerContext* context,
                                            const log::v1::Input& input, const std::optional<Rejection>& rejection,
                                            const Request& request, Response* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  SubmitOperatorInput(reads, context, input, rejection,
                      std::make_unique<SessionSink<Response>>(reactor, response, reads.loop.follower(), request.kind(),
                                                              request.member_id()));
  return reactor;
}

}  // namespace holdfast::server
