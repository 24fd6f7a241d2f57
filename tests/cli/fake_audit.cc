#include "tests/cli/fake_audit.h"

#include <optional>
#include <utility>

namespace holdfast::cli {

using audit::v1::ReadLogResponse;

void FakeAudit::SetStatus(const audit::v1::GetStatusResponse& status) {
  std::lock_guard lock(mutex_);
  status_ = status;
}

void FakeAudit::RefuseStatus(grpc::Status refusal) {
  std::lock_guard lock(mutex_);
  refusal_ = std::move(refusal);
}

void FakeAudit::FallSilent() {
  std::lock_guard lock(mutex_);
  silent_ = true;
}

void FakeAudit::Release() {
  std::lock_guard lock(mutex_);
  released_ = true;
  changed_.notify_all();
}

void FakeAudit::PutPeriod(const audit::v1::OwnershipPeriod& period) {
  std::lock_guard lock(mutex_);
  periods_.push_back(period);
}

void FakeAudit::Append(const audit::v1::LogLine& line) {
  std::lock_guard lock(mutex_);
  lines_.push_back(line);
}

void FakeAudit::CutNextStream(std::size_t lines, grpc::Status status) {
  std::lock_guard lock(mutex_);
  cuts_.push_back({lines, std::move(status)});
}

void FakeAudit::OnCaughtUp(std::function<void()> callback) {
  std::lock_guard lock(mutex_);
  caught_up_ = std::move(callback);
}

audit::v1::OwnershipHistoryRequest FakeAudit::history_request() const {
  std::lock_guard lock(mutex_);
  return history_request_;
}

std::vector<audit::v1::ReadLogRequest> FakeAudit::log_requests() const {
  std::lock_guard lock(mutex_);
  return log_requests_;
}

grpc::Status FakeAudit::GetStatus(grpc::ServerContext*, const audit::v1::GetStatusRequest*,
                                  audit::v1::GetStatusResponse* response) {
  std::unique_lock lock(mutex_);
  const bool silent = silent_;
  *response = status_;
  const grpc::Status refusal = refusal_;
  lock.unlock();
  if (silent) WaitUntilReleased();
  return refusal;
}

grpc::Status FakeAudit::OwnershipHistory(grpc::ServerContext*, const audit::v1::OwnershipHistoryRequest* request,
                                         grpc::ServerWriter<audit::v1::OwnershipHistoryResponse>* writer) {
  std::lock_guard lock(mutex_);
  history_request_ = *request;
  audit::v1::OwnershipHistoryResponse response;
  for (const auto& period : periods_) *response.add_periods() = period;
  writer->Write(response);
  return grpc::Status::OK;
}

grpc::Status FakeAudit::ReadLog(grpc::ServerContext*, const audit::v1::ReadLogRequest* request,
                                grpc::ServerWriter<ReadLogResponse>* writer) {
  std::unique_lock lock(mutex_);
  log_requests_.push_back(*request);
  std::optional<Cut> cut;
  if (!cuts_.empty()) {
    cut = cuts_.front();
    cuts_.pop_front();
  }
  const std::vector<audit::v1::LogLine> lines = lines_;
  const std::function<void()> caught_up = caught_up_;
  lock.unlock();
  std::size_t sent = 0;
  for (const auto& line : lines) {
    if (line.sequence() < request->from_sequence()) continue;
    if (cut && sent == cut->lines) return cut->status;
    ReadLogResponse response;
    *response.add_lines() = line;
    response.set_next_sequence(line.sequence() + 1);
    writer->Write(response);
    ++sent;
  }
  if (cut && sent == cut->lines) return cut->status;
  if (request->follow()) {
    if (caught_up) caught_up();
    WaitUntilReleased();
  }
  return grpc::Status::OK;
}

void FakeAudit::WaitUntilReleased() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return released_; });
}

}  // namespace holdfast::cli
