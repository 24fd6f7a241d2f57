#include "server/call_member.h"

#include <grpcpp/server_context.h>

#include <utility>

#include "server/rejection_status.h"

namespace holdfast::server {
namespace {

// Holds a place among the registrations that wait until it is answered.
class RegistrationSink final : public UnarySink {
 public:
  RegistrationSink(const UnaryCall& call, Admission::Registration registration)
      : UnarySink(call), registration_(std::move(registration)) {}

 private:
  const Admission::Registration registration_;
};

}  // namespace

Command MemberCommand(std::string input, const grpc::CallbackServerContext& call_context) {
  Command command;
  command.input = std::move(input);
  command.principal = kLoopbackPrincipal;
  command.peer = call_context.peer();
  return command;
}

Rejection NoRequest() {
  return {RejectReason::kMalformed,
          "the bytes are no request of this call; send the message of the published contract"};
}

grpc::ServerUnaryReactor* Refused(const UnaryCall& call, const Rejection& rejection) {
  call.Answer(rejection);
  return call.reactor();
}

EndedStream::EndedStream(const Rejection& rejection) { Finish(StatusOf(rejection)); }

WatchSink::~WatchSink() {
  if (stream_) stream_->Reject(ShuttingDownRejection());
}

void WatchSink::Deliver(Reply reply) {
  const std::shared_ptr<WatchStream> stream = std::move(stream_);
  if (const auto* rejection = std::get_if<Rejection>(&reply)) return stream->Reject(*rejection);
  stream->Accept();
}

grpc::ServerUnaryReactor* SubmitRegistration(const CallContext& context, const UnaryCall& call, Command command,
                                             const std::string& member) {
  if (const auto rejection = context.admission.Refuse(CallClass::kRegister, member)) return Refused(call, *rejection);
  auto registration = context.admission.EnterRegistration();
  if (!registration) return Refused(call, Admission::Overloaded(CallClass::kRegister, member));
  command.sink = std::make_unique<RegistrationSink>(call, std::move(*registration));
  if (!context.loop.Submit(command, CallClass::kRegister)) {
    command.sink->Deliver(Admission::Overloaded(CallClass::kRegister, member));
  }
  return call.reactor();
}

}  // namespace holdfast::server
