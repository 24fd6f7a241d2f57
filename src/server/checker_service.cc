#include "server/checker_service.h"

#include <utility>

#include "controller/validate.h"
#include "server/call_bytes.h"
#include "server/call_member.h"
#include "server/rejection_status.h"

namespace holdfast::server {

using log::v1::Input;

CheckerService::CheckerService(const CallContext& context) : context_(context) {}

void CheckerService::Submit(Command& command, CallClass call_class, const std::string& checker_id,
                            const std::string& session_id) {
  if (context_.loop.Submit(command, call_class)) return;
  context_.shed.Note(MemberKind::kChecker, checker_id, session_id);
  command.sink->Deliver(Admission::Overloaded(call_class, checker_id));
}

grpc::ServerUnaryReactor* CheckerService::RegisterChecker(grpc::CallbackServerContext* call_context,
                                                          const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  const UnaryCall call(*call_context, response);
  const std::string session_id =
      StringField(log::v1::RegisterChecker::kSessionIdFieldNumber, RandomId(context_.random));
  Command command = MemberCommand(WrapRequest(Input::kRegisterChecker, *request, session_id), *call_context);
  if (!ParseCommand(command)) return Refused(call, NoRequest());
  const auto& message = command.parsed->register_checker().request();
  if (const auto rejection = Validate(message, context_.settings)) return Refused(call, *rejection);
  const std::string checker_id = message.checker_id();
  return SubmitRegistration(context_, call, std::move(command), checker_id);
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* CheckerService::WatchTasks(grpc::CallbackServerContext* call_context,
                                                                       const grpc::ByteBuffer* request) {
  const StreamId id = context_.loop.NextStream();
  const std::string stream_number = NumberField(log::v1::WatchTasks::kStreamFieldNumber, id.value());
  Command command = MemberCommand(WrapRequest(Input::kWatchTasks, *request, stream_number), *call_context);
  if (!ParseCommand(command)) return new EndedStream(NoRequest());
  const auto& message = command.parsed->watch_tasks().request();
  if (const auto rejection = Validate(message, context_.settings)) return new EndedStream(*rejection);
  const auto stream =
      context_.streams.Open({id, MemberKind::kChecker, message.checker_id(), message.session_id()}, call_context);
  if (!stream) return new EndedStream(ShuttingDownRejection());
  command.sink = std::make_unique<WatchSink>(stream);
  Submit(command, CallClass::kRegister, message.checker_id(), message.session_id());
  return stream.get();  // it owns itself until OnDone, which does not come before this returns
}

grpc::ServerUnaryReactor* CheckerService::ReportObservations(grpc::CallbackServerContext* call_context,
                                                             const grpc::ByteBuffer* request,
                                                             grpc::ByteBuffer* response) {
  const UnaryCall call(*call_context, response);
  Command command = MemberCommand(WrapRequest(Input::kReportObservations, *request), *call_context);
  if (!ParseCommand(command)) return Refused(call, NoRequest());
  const auto& message = command.parsed->report_observations().request();
  if (const auto rejection = Validate(message, context_.settings)) return Refused(call, *rejection);
  command.sink = std::make_unique<UnarySink>(call);
  Submit(command, CallClass::kObservations, message.checker_id(), message.session_id());
  return call.reactor();
}

}  // namespace holdfast::server
