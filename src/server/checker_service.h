// CheckerControlPlane: translates checkers' calls into inputs and answers into messages. It decides nothing.
//
// Life cycle, threads and what happens to a call: as WorkerService (worker_service.h). A report of observations that
// is shed renews its session all the same (shed_sessions.h).

#pragma once

#include "controlplane/v1/controlplane.grpc.pb.h"
#include "server/call_context.h"

namespace holdfast::server {

// All three take the raw bytes: what is stored is what was sent.
using RawCheckerService = controlplane::v1::CheckerControlPlane::WithRawCallbackMethod_RegisterChecker<
    controlplane::v1::CheckerControlPlane::WithRawCallbackMethod_WatchTasks<
        controlplane::v1::CheckerControlPlane::WithRawCallbackMethod_ReportObservations<
            controlplane::v1::CheckerControlPlane::Service>>>;

class CheckerService final : public RawCheckerService {
 public:
  explicit CheckerService(const CallContext& context);

  grpc::ServerUnaryReactor* RegisterChecker(grpc::CallbackServerContext* call_context, const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* WatchTasks(grpc::CallbackServerContext* call_context,
                                                         const grpc::ByteBuffer* request) override;
  grpc::ServerUnaryReactor* ReportObservations(grpc::CallbackServerContext* call_context,
                                               const grpc::ByteBuffer* request, grpc::ByteBuffer* response) override;

 private:
  // Queues it, or answers OVERLOADED through its sink and notes whose call it was.
  void Submit(Command& command, CallClass call_class, const std::string& checker_id, const std::string& session_id);

  const CallContext context_;
};

}  // namespace holdfast::server
