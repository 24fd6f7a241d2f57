// A log, a status and a history that a test writes.
//
// Part of FakeDaemon. Thread: any. A stream that follows stays open until Release(), and so does a silent call: the
// caller has gone long before.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "holdfast/audit/v1/audit.grpc.pb.h"

namespace holdfast::cli {

class FakeAudit : public audit::v1::Audit::Service {
 public:
  void SetStatus(const audit::v1::GetStatusResponse& status);
  void RefuseStatus(grpc::Status refusal);
  // GetStatus is not answered any more.
  void FallSilent();
  // Lets go of the calls that are held; FakeDaemon's last act.
  void Release();
  void PutPeriod(const audit::v1::OwnershipPeriod& period);
  void Append(const audit::v1::LogLine& line);
  // The next log stream ends after so many lines.
  void CutNextStream(std::size_t lines, grpc::Status status);
  // Ran when a following stream has sent all that there is.
  void OnCaughtUp(std::function<void()> callback);

  audit::v1::OwnershipHistoryRequest history_request() const;
  std::vector<audit::v1::ReadLogRequest> log_requests() const;

  grpc::Status GetStatus(grpc::ServerContext*, const audit::v1::GetStatusRequest*,
                         audit::v1::GetStatusResponse* response) override;
  grpc::Status OwnershipHistory(grpc::ServerContext*, const audit::v1::OwnershipHistoryRequest* request,
                                grpc::ServerWriter<audit::v1::OwnershipHistoryResponse>* writer) override;
  grpc::Status ReadLog(grpc::ServerContext*, const audit::v1::ReadLogRequest* request,
                       grpc::ServerWriter<audit::v1::ReadLogResponse>* writer) override;

 private:
  struct Cut {
    std::size_t lines = 0;
    grpc::Status status;
  };

  void WaitUntilReleased();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  audit::v1::GetStatusResponse status_;
  grpc::Status refusal_;
  bool silent_ = false;
  bool released_ = false;
  std::vector<audit::v1::OwnershipPeriod> periods_;
  std::vector<audit::v1::LogLine> lines_;
  std::deque<Cut> cuts_;
  std::function<void()> caught_up_;
  audit::v1::OwnershipHistoryRequest history_request_;
  std::vector<audit::v1::ReadLogRequest> log_requests_;
};

}  // namespace holdfast::cli
