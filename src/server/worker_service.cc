#include "server/worker_service.h"

#include <utility>

#include "controller/validate.h"
#include "server/call_bytes.h"
#include "server/rejection_status.h"

namespace holdfast::server {
namespace {

using log::v1::Input;

// Answers a Watch that never becomes a stream.
class EndedStream final : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  explicit EndedStream(const Rejection& rejection) { Finish(StatusOf(rejection)); }
  void OnDone() override { delete this; }
};

// The answer to a Watch opens its stream.
class WatchSink final : public ReplySink {
 public:
  explicit WatchSink(std::shared_ptr<WatchStream> stream) : stream_(std::move(stream)) {}
  ~WatchSink() override {
    if (stream_) stream_->Reject(ShuttingDownRejection());
  }
  void Deliver(Reply reply) override {
    const std::shared_ptr<WatchStream> stream = std::move(stream_);
    if (const auto* rejection = std::get_if<Rejection>(&reply)) return stream->Reject(*rejection);
    stream->Accept();
  }

 private:
  std::shared_ptr<WatchStream> stream_;
};

class RegistrationSink final : public UnarySink {
 public:
  RegistrationSink(UnaryCall* call, Admission::Registration registration)
      : UnarySink(call), registration_(std::move(registration)) {}

 private:
  const Admission::Registration registration_;
};

Rejection NoRequest() {
  return {RejectReason::kMalformed,
          "the bytes are no request of this call; send the message of the published contract"};
}

Command CommandFrom(std::string input, const grpc::CallbackServerContext& call_context) {
  Command command;
  command.input = std::move(input);
  command.principal = kLoopbackPrincipal;
  command.peer = call_context.peer();
  return command;
}

UnaryCall* Refused(UnaryCall* call, const Rejection& rejection) {
  call->Answer(rejection);
  return call;
}

}  // namespace

void WorkerService::Submit(Command& command, CallClass call_class, const std::string& worker_id,
                           const std::string& session_id) {
  if (context_.loop.Submit(command, call_class)) return;
  if (!session_id.empty()) context_.shed.Note(worker_id, session_id);
  command.sink->Deliver(Admission::Overloaded(call_class, worker_id));
}

grpc::ServerUnaryReactor* WorkerService::RegisterWorker(grpc::CallbackServerContext* call_context,
                                                        const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  auto* call = new UnaryCall(response);
  const std::string session_id = StringField(log::v1::RegisterWorker::kSessionIdFieldNumber, RandomId(context_.random));
  Command command = CommandFrom(WrapRequest(Input::kRegisterWorker, *request, session_id), *call_context);
  if (!ParseCommand(command)) return Refused(call, NoRequest());
  const auto& message = command.parsed->register_worker().request();
  if (const auto rejection = Validate(message, context_.settings)) return Refused(call, *rejection);
  if (const auto rejection = context_.admission.Refuse(CallClass::kRegister, message.worker_id())) {
    return Refused(call, *rejection);
  }
  auto registration = context_.admission.EnterRegistration();
  if (!registration) return Refused(call, Admission::Overloaded(CallClass::kRegister, message.worker_id()));
  command.sink = std::make_unique<RegistrationSink>(call, std::move(*registration));
  Submit(command, CallClass::kRegister, message.worker_id(), "");
  return call;
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* WorkerService::WatchSnapshots(grpc::CallbackServerContext* call_context,
                                                                          const grpc::ByteBuffer* request) {
  const StreamId id = context_.loop.NextStream();
  const std::string stream_number = NumberField(log::v1::WatchSnapshots::kStreamFieldNumber, id.value());
  Command command = CommandFrom(WrapRequest(Input::kWatchSnapshots, *request, stream_number), *call_context);
  if (!ParseCommand(command)) return new EndedStream(NoRequest());
  const auto& message = command.parsed->watch_snapshots().request();
  if (const auto rejection = Validate(message, context_.settings)) return new EndedStream(*rejection);
  const auto stream = context_.streams.Open({id, message.worker_id(), message.session_id()}, call_context);
  if (!stream) return new EndedStream(ShuttingDownRejection());
  command.sink = std::make_unique<WatchSink>(stream);
  Submit(command, CallClass::kRegister, message.worker_id(), message.session_id());
  return stream.get();  // it owns itself until OnDone, which does not come before this returns
}

grpc::ServerUnaryReactor* WorkerService::AcknowledgeSnapshot(grpc::CallbackServerContext* call_context,
                                                             const grpc::ByteBuffer* request,
                                                             grpc::ByteBuffer* response) {
  auto* call = new UnaryCall(response);
  Command command = CommandFrom(WrapPlainRequest(Input::kAcknowledgeSnapshot, *request), *call_context);
  if (!ParseCommand(command)) return Refused(call, NoRequest());
  const auto& message = command.parsed->acknowledge_snapshot();
  if (const auto rejection = Validate(message, context_.settings)) return Refused(call, *rejection);
  command.sink = std::make_unique<UnarySink>(call);
  Submit(command, CallClass::kNeverShed, message.worker_id(), message.session_id());
  return call;
}

grpc::ServerUnaryReactor* WorkerService::ReportRuntime(grpc::CallbackServerContext* call_context,
                                                       const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  auto* call = new UnaryCall(response);
  Command command = CommandFrom(WrapRequest(Input::kReportRuntime, *request), *call_context);
  if (!ParseCommand(command)) return Refused(call, NoRequest());
  const auto& message = command.parsed->report_runtime().request();
  if (const auto rejection = Validate(message, context_.settings)) return Refused(call, *rejection);
  command.sink = std::make_unique<UnarySink>(call);
  Submit(command, CallClass::kRuntime, message.worker_id(), message.session_id());
  return call;
}

grpc::ServerUnaryReactor* WorkerService::ReportOutcomes(grpc::CallbackServerContext* call_context,
                                                        const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  auto* call = new UnaryCall(response);
  Command command = CommandFrom(WrapRequest(Input::kReportOutcomes, *request), *call_context);
  if (!ParseCommand(command)) return Refused(call, NoRequest());
  const auto& message = command.parsed->report_outcomes().request();
  if (const auto rejection = Validate(message, context_.settings)) return Refused(call, *rejection);
  if (const auto rejection = context_.admission.Refuse(CallClass::kOutcomes, message.worker_id())) {
    context_.shed.Note(message.worker_id(), message.session_id());
    return Refused(call, *rejection);
  }
  command.sink = std::make_unique<UnarySink>(call);
  Submit(command, CallClass::kOutcomes, message.worker_id(), message.session_id());
  return call;
}

}  // namespace holdfast::server
