// WorkerControlPlane: translates calls into inputs and answers into messages. It decides nothing.
//
// Life cycle: registered with the gRPC server, destroyed after it. Thread: gRPC's, many at a time; no handler waits.
// Each call: the request's own bytes are wrapped as an input and parsed, judged for form and limits
// (controller/validate.h), and queued; its sink answers. What is malformed or shed is answered at once, and is no
// entry. docs/callbacks.md.

#pragma once

#include "controlplane/v1/controlplane.grpc.pb.h"
#include "server/call_context.h"

namespace holdfast::server {

// All five take the raw bytes: what is stored is what was sent, and what cannot be parsed is MALFORMED as contract.md
// has it.
using RawWorkerService = controlplane::v1::WorkerControlPlane::WithRawCallbackMethod_RegisterWorker<
    controlplane::v1::WorkerControlPlane::WithRawCallbackMethod_WatchSnapshots<
        controlplane::v1::WorkerControlPlane::WithRawCallbackMethod_AcknowledgeSnapshot<
            controlplane::v1::WorkerControlPlane::WithRawCallbackMethod_ReportRuntime<
                controlplane::v1::WorkerControlPlane::WithRawCallbackMethod_ReportOutcomes<
                    controlplane::v1::WorkerControlPlane::Service>>>>>;

class WorkerService final : public RawWorkerService {
 public:
  explicit WorkerService(const CallContext& context);

  grpc::ServerUnaryReactor* RegisterWorker(grpc::CallbackServerContext* call_context, const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* WatchSnapshots(grpc::CallbackServerContext* call_context,
                                                             const grpc::ByteBuffer* request) override;
  grpc::ServerUnaryReactor* AcknowledgeSnapshot(grpc::CallbackServerContext* call_context,
                                                const grpc::ByteBuffer* request, grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ReportRuntime(grpc::CallbackServerContext* call_context, const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ReportOutcomes(grpc::CallbackServerContext* call_context, const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;

 private:
  // Queues it, or answers OVERLOADED through its sink and notes whose call it was.
  void Submit(Command& command, CallClass call_class, const std::string& worker_id, const std::string& session_id);

  const CallContext context_;
};

}  // namespace holdfast::server
