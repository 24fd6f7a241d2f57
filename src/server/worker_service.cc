#include "server/worker_service.h"

#include <utility>

#include "controller/validate.h"
#include "server/call_bytes.h"
#include "server/call_member.h"
#include "server/rejection_status.h"

namespace holdfast::server {

using log::v1::Input;

WorkerService::WorkerService(const CallContext& context) : context_(context) {}

void WorkerService::Submit(Command& command, CallClass call_class, const std::string& worker_id,
                           const std::string& session_id) {
  if (context_.loop.Submit(command, call_class)) return;
  context_.shed.Note(MemberKind::kWorker, worker_id, session_id);
  command.sink->Deliver(Admission::Overloaded(call_class, worker_id));
}

grpc::ServerUnaryReactor* WorkerService::RegisterWorker(grpc::CallbackServerContext* call_context,
                                                        const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  const UnaryCall call(*call_context, response);
  const std::string session_id = StringField(log::v1::RegisterWorker::kSessionIdFieldNumber, RandomId(context_.random));
  Command command = MemberCommand(WrapRequest(Input::kRegisterWorker, *request, session_id), *call_context);
  if (!ParseCommand(command)) return Refused(call, NoRequest());
  const auto& message = command.parsed->register_worker().request();
  if (const auto rejection = Validate(message, context_.settings)) return Refused(call, *rejection);
  const std::string worker_id = message.worker_id();
  return SubmitRegistration(context_, call, std::move(command), worker_id);
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* WorkerService::WatchSnapshots(grpc::CallbackServerContext* call_context,
                                                                          const grpc::ByteBuffer* request) {
  const StreamId id = context_.loop.NextStream();
  const std::string stream_number = NumberField(log::v1::WatchSnapshots::kStreamFieldNumber, id.value());
  Command command = MemberCommand(WrapRequest(Input::kWatchSnapshots, *request, stream_number), *call_context);
  if (!ParseCommand(command)) return new EndedStream(NoRequest());
  const auto& message = command.parsed->watch_snapshots().request();
  if (const auto rejection = Validate(message, context_.settings)) return new EndedStream(*rejection);
  const auto stream =
      context_.streams.Open({id, MemberKind::kWorker, message.worker_id(), message.session_id()}, call_context);
  if (!stream) return new EndedStream(ShuttingDownRejection());
  command.sink = std::make_unique<WatchSink>(stream);
  Submit(command, CallClass::kRegister, message.worker_id(), message.session_id());
  return stream.get();  // it owns itself until OnDone, which does not come before this returns
}

grpc::ServerUnaryReactor* WorkerService::AcknowledgeSnapshot(grpc::CallbackServerContext* call_context,
                                                             const grpc::ByteBuffer* request,
                                                             grpc::ByteBuffer* response) {
  const UnaryCall call(*call_context, response);
  Command command = MemberCommand(WrapPlainRequest(Input::kAcknowledgeSnapshot, *request), *call_context);
  if (!ParseCommand(command)) return Refused(call, NoRequest());
  const auto& message = command.parsed->acknowledge_snapshot();
  if (const auto rejection = Validate(message, context_.settings)) return Refused(call, *rejection);
  command.sink = std::make_unique<UnarySink>(call);
  Submit(command, CallClass::kNeverShed, message.worker_id(), message.session_id());
  return call.reactor();
}

grpc::ServerUnaryReactor* WorkerService::ReportRuntime(grpc::CallbackServerContext* call_context,
                                                       const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  const UnaryCall call(*call_context, response);
  Command command = MemberCommand(WrapRequest(Input::kReportRuntime, *request), *call_context);
  if (!ParseCommand(command)) return Refused(call, NoRequest());
  const auto& message = command.parsed->report_runtime().request();
  if (const auto rejection = Validate(message, context_.settings)) return Refused(call, *rejection);
  command.sink = std::make_unique<UnarySink>(call);
  Submit(command, CallClass::kRuntime, message.worker_id(), message.session_id());
  return call.reactor();
}

grpc::ServerUnaryReactor* WorkerService::ReportOutcomes(grpc::CallbackServerContext* call_context,
                                                        const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  const UnaryCall call(*call_context, response);
  Command command = MemberCommand(WrapRequest(Input::kReportOutcomes, *request), *call_context);
  if (!ParseCommand(command)) return Refused(call, NoRequest());
  const auto& message = command.parsed->report_outcomes().request();
  if (const auto rejection = Validate(message, context_.settings)) return Refused(call, *rejection);
  if (const auto rejection = context_.admission.Refuse(CallClass::kOutcomes, message.worker_id())) {
    context_.shed.Note(MemberKind::kWorker, message.worker_id(), message.session_id());
    return Refused(call, *rejection);
  }
  command.sink = std::make_unique<UnarySink>(call);
  Submit(command, CallClass::kOutcomes, message.worker_id(), message.session_id());
  return call.reactor();
}

}  // namespace holdfast::server
