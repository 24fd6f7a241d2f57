#include "server/audit_service.h"

#include <future>
#include <memory>
#include <utility>

#include "server/read_answer.h"
#include "server/read_error.h"
#include "server/read_history_stream.h"
#include "server/read_log_stream.h"
#include "server/read_refuse.h"
#include "server/read_validate.h"
#include "server/status_read.h"

namespace holdfast::server {

AuditService::AuditService(const ReadContext& reads, StatusSources sources)
    : reads_(reads), sources_(std::move(sources)) {}

grpc::ServerUnaryReactor* AuditService::GetStatus(grpc::CallbackServerContext* context,
                                                  const audit::v1::GetStatusRequest*,
                                                  audit::v1::GetStatusResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const auto answer = std::make_shared<ReadAnswer>(reactor);
  ReadStatus(reads_, sources_, response, [answer](const absl::Status& status) {
    answer->Finish(status.ok() ? grpc::Status::OK : ReadError("the log", status));
  });
  return reactor;
}

std::optional<audit::v1::GetStatusResponse> AuditService::StatusWithin(Duration patience) const {
  struct Reading {
    audit::v1::GetStatusResponse status;
    bool whole = false;
    std::promise<void> over;  // also where it is dropped
  };
  auto reading = std::make_shared<Reading>();
  const std::future<void> over = reading->over.get_future();
  ReadStatus(reads_, sources_, &reading->status, [reading](const absl::Status& status) {
    reading->whole = status.ok();
    reading->over.set_value();
  });
  if (over.wait_for(patience) != std::future_status::ready || !reading->whole) return std::nullopt;
  return std::move(reading->status);
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
