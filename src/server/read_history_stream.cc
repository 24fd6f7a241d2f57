#include "server/read_history_stream.h"

#include "server/read_error.h"

namespace holdfast::server {

void OwnershipHistoryStream::Produce() {
  if (open_.done()) return OnPool([this] { Slice(); });
  OnFollower([this](const ControllerState& state) {
    open_.Step(state);
    Produce();
  });
}

void OwnershipHistoryStream::Slice() {
  if (!merge_) merge_.emplace(query_, open_.Take());
  if (merge_->done()) return End(grpc::Status::OK);
  audit::v1::OwnershipHistoryResponse response;
  if (absl::Status status = merge_->Step(reads().loop.event_log(), &response); !status.ok()) {
    return End(ReadError("the ownership history", status));
  }
  if (response.periods().empty()) return Produce();
  Send(std::move(response));
}

Rejection OwnershipHistoryStream::SlowReader() const {
  return {RejectReason::kSlowReader, "the history is not read fast enough; ask again, from the last granted_at on"};
}

}  // namespace holdfast::server
