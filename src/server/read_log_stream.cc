#include "server/read_log_stream.h"

#include "server/read_error.h"

namespace holdfast::server {

void ReadLogStream::Produce() {
  OnPool([this] { scan_ ? Slice() : Open(); });
}

// Finds where to begin. What the entries before that would have taught a filter, the follower's state knows for the
// most part.
void ReadLogStream::Open() {
  const absl::StatusOr<Sequence> first = FirstKept(reads().loop.event_log());
  if (!first.ok()) return End(ReadError("the log", first.status()));
  const Sequence from = request_.from_sequence() == 0 ? *first : Sequence(request_.from_sequence());
  if (from < *first) {
    const std::string kept = std::to_string(first->value());
    return EndWith(
        {RejectReason::kNoLongerKept,
         "sequence " + std::to_string(from.value()) + " is no longer kept; the first that is kept is " + kept,
         "from_sequence",
         {{"first_sequence", kept}}});
  }
  told_ = from.value();
  scan_.emplace(reads().loop.event_log(), from, FilterOf(request_));
  if (from == Sequence(1)) return Slice();
  OnFollower([this](const ControllerState& state) {
    scan_->Seed(state);
    Produce();
  });
}

void ReadLogStream::Slice() {
  audit::v1::ReadLogResponse response;
  if (absl::Status status = scan_->Step(&response); !status.ok()) return End(ReadError("the log", status));
  if (!response.lines().empty() || scan_->next().value() - told_ >= kToldEvery) return Tell(std::move(response));
  if (scan_->at_end()) return AtEnd(std::move(response));
  Produce();
}

void ReadLogStream::AtEnd(audit::v1::ReadLogResponse response) {
  if (request_.follow()) {
    const Sequence seen(scan_->next().value() - 1);
    if (!reads().streams.WaitBeyond(number(), seen)) Produce();
    return;
  }
  if (told_ != scan_->next().value()) return Tell(std::move(response));
  End(grpc::Status::OK);
}

void ReadLogStream::Tell(audit::v1::ReadLogResponse response) {
  told_ = response.next_sequence();
  Send(std::move(response));
}

Rejection ReadLogStream::SlowReader() const {
  const std::string next = std::to_string(told_.load());
  return {RejectReason::kSlowReader,
          "the log is not read fast enough; read on from sequence " + next,
          "",
          {{"next_sequence", next}}};
}

}  // namespace holdfast::server
