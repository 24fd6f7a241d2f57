#include "server/audit_service.h"

#include <memory>
#include <utility>

#include "server/read_answer.h"
#include "server/read_error.h"
#include "server/read_history_stream.h"
#include "server/read_log_stream.h"
#include "server/read_refuse.h"
#include "server/read_validate.h"

namespace holdfast::server {

AuditService::AuditService(const ReadContext& reads, StatusSources sources)
    : reads_(reads), sources_(std::move(sources)) {}

grpc::ServerUnaryReactor* AuditService::GetStatus(grpc::CallbackServerContext* context,
                                                  const audit::v1::GetStatusRequest*,
                                                  audit::v1::GetStatusResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const auto answer = std::make_shared<ReadAnswer>(reactor);
  reads_.loop.follower().Read([this, answer, response](const ControllerState& state) {
    PutStateStatus(state, reads_.loop.Now(), response);
    reads_.pool.Post([this, answer, response] {
      PutProcessStatus(reads_.loop, sources_, response);
      const absl::Status status = PutLogStatus(reads_.loop.event_log(), reads_.loop.status(), response);
      answer->Finish(status.ok() ? grpc::Status::OK : ReadError("the log", status));
    });
  });
  return reactor;
}

grpc::ServerWriteReactor<audit::v1::OwnershipHistoryResponse>* AuditService::OwnershipHistory(
    grpc::CallbackServerContext* context, const audit::v1::OwnershipHistoryRequest* request) {
  const std::optional<Rejection> rejection = Validate(*request);
  const audit::v1::OwnershipHistoryRequest none;
  return OwnershipHistoryStream::Begin(
      std::make_shared<OwnershipHistoryStream>(reads_, context, rejection ? none : *request), rejection);
}

grpc::ServerWriteReactor<audit::v1::ReadLogResponse>* AuditService::ReadLog(grpc::CallbackServerContext* context,
                                                                            const audit::v1::ReadLogRequest* request) {
  return ReadLogStream::Begin(std::make_shared<ReadLogStream>(reads_, context, *request), Validate(*request));
}

grpc::ServerUnaryReactor* AuditService::Explain(grpc::CallbackServerContext* context, const audit::v1::ExplainRequest*,
                                                audit::v1::ExplainResponse*) {
  return RefuseUnary(context, "Audit.Explain");
}

}  // namespace holdfast::server
