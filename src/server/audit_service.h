// The Audit service: status, ownership history, the log. Reads only; each from committed state.
//
// Life cycle: made after the loop, destroyed after the gRPC server. Thread: gRPC's; what it reads is read on the
// follower's thread and the reader pool's. Does not: explain (not served by this version).

#pragma once

#include <optional>

#include "holdfast/audit/v1/audit.grpc.pb.h"
#include "server/read_context.h"
#include "server/status_report.h"

namespace holdfast::server {

class AuditService final : public audit::v1::Audit::CallbackService {
 public:
  AuditService(const ReadContext& reads, StatusSources sources);

  grpc::ServerUnaryReactor* GetStatus(grpc::CallbackServerContext* context, const audit::v1::GetStatusRequest* request,
                                      audit::v1::GetStatusResponse* response) override;
  grpc::ServerWriteReactor<audit::v1::OwnershipHistoryResponse>* OwnershipHistory(
      grpc::CallbackServerContext* context, const audit::v1::OwnershipHistoryRequest* request) override;
  grpc::ServerWriteReactor<audit::v1::ReadLogResponse>* ReadLog(grpc::CallbackServerContext* context,
                                                                const audit::v1::ReadLogRequest* request) override;
  grpc::ServerUnaryReactor* Explain(grpc::CallbackServerContext* context, const audit::v1::ExplainRequest* request,
                                    audit::v1::ExplainResponse* response) override;

  // What GetStatus answers, for who is no caller of gRPC. Waits, on a thread that neither the follower nor the reader
  // pool needs; nullopt: not within this time, or the log cannot be read.
  std::optional<audit::v1::GetStatusResponse> StatusWithin(Duration patience) const;

 private:
  const ReadContext reads_;
  const StatusSources sources_;
};

}  // namespace holdfast::server
