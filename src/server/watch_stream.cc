#include "server/watch_stream.h"

#include <grpcpp/server_context.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "server/rejection_status.h"

namespace holdfast::server {
namespace {

constexpr Duration kLeastValidity = std::chrono::seconds(1);  // of an update that is worth writing

}  // namespace

std::shared_ptr<WatchStream> WatchStream::Make(Identity identity, const Limits& limits, StreamOutlet& outlet,
                                               grpc::CallbackServerContext* context) {
  std::shared_ptr<WatchStream> stream(new WatchStream(std::move(identity), limits, outlet, context));
  stream->self_ = stream;
  return stream;
}

WatchStream::WatchStream(Identity identity, const Limits& limits, StreamOutlet& outlet,
                         grpc::CallbackServerContext* context)
    : identity_(std::move(identity)),
      limits_(limits),
      outlet_(outlet),
      opened_at_(outlet.Now()),
      deadline_micros_(ToMicros(opened_at_ + limits.longest)),
      context_(context) {}

void WatchStream::Accept() {
  const auto self = shared_from_this();
  const std::lock_guard<std::mutex> lock(mutex_);
  accepted_ = true;
  if (std::exchange(owes_end_, false)) TellEnded("the client went away before the stream was accepted");
  if (ended_) return;
  StartSendInitialMetadata();
  WriteNext();
}

void WatchStream::Reject(const Rejection& rejection) {
  const auto self = shared_from_this();
  const std::lock_guard<std::mutex> lock(mutex_);
  EndLocked(StatusOf(rejection), false, "");
}

std::shared_ptr<WatchStream::Slot> WatchStream::Reserve() {
  const auto self = shared_from_this();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ended_) return nullptr;
  if (mailbox_.size() >= limits_.mailbox_messages) {
    EndAsSlow("more messages wait than its mailbox holds");
    return nullptr;
  }
  mailbox_.push_back(std::make_shared<Slot>());
  return mailbox_.back();
}

void WatchStream::Fill(const std::shared_ptr<Slot>& slot, StreamMail mail) {
  const auto self = shared_from_this();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ended_) return;
  bytes_ += mail.bytes.Length();
  slot->mail = std::move(mail);
  slot->ready = true;
  WriteNext();
  if (bytes_ > limits_.mailbox_bytes) EndAsSlow("more bytes wait than its mailbox holds");
}

void WatchStream::End(const Rejection& rejection) { Reject(rejection); }

void WatchStream::Close(const Rejection& rejection) {
  const auto self = shared_from_this();
  const std::lock_guard<std::mutex> lock(mutex_);
  EndLocked(StatusOf(rejection), true, rejection.message);
}

void WatchStream::Tick(LogTime now) {
  if (ToMicros(now) < deadline_micros_.load(std::memory_order_relaxed)) return;
  const auto self = shared_from_this();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ended_) {
    if (context_ != nullptr && !IsAbsent(cancel_at_) && IsOver(cancel_at_, now)) {
      cancel_at_ = LogTime();
      context_->TryCancel();  // its reader does not even take the end
    }
  } else if (!IsAbsent(delivered_until_) && IsOver(delivered_until_, now)) {
    EndLocked(grpc::Status::OK, true, "the last update that was delivered is no longer valid");
  } else if (IsOver(opened_at_ + limits_.longest, now)) {
    EndLocked(grpc::Status::OK, true, "the stream has stood for watch_max_duration");
  } else if (writing_ && !mailbox_.empty() && IsOver(write_started_at_ + limits_.ack_timeout, now)) {
    EndAsSlow("a message was not taken within ack_timeout while another waits");
  }
  SetDeadline();
}

std::size_t WatchStream::waiting_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

void WatchStream::OnWriteDone(bool ok) {
  const auto self = shared_from_this();
  const std::lock_guard<std::mutex> lock(mutex_);
  writing_ = false;
  bytes_ -= std::min(bytes_, in_flight_bytes_);
  in_flight_bytes_ = 0;
  const StreamMail mail = std::exchange(in_flight_, StreamMail{});
  if (ended_) return;
  if (!ok) return EndLocked(grpc::Status(grpc::StatusCode::CANCELLED, "the stream broke"), true, "a write failed");
  if (mail.version.value() != 0) delivered_until_ = mail.valid_until;
  WriteNext();
  SetDeadline();
}

void WatchStream::OnCancel() {
  const auto self = shared_from_this();
  const std::lock_guard<std::mutex> lock(mutex_);
  EndLocked(grpc::Status(grpc::StatusCode::CANCELLED, "the client went away"), true, "the client went away");
}

void WatchStream::OnDone() {
  std::shared_ptr<WatchStream> self;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    context_ = nullptr;
    self = std::move(self_);
  }
  outlet_.Forget(identity_.stream);
}

void WatchStream::EndLocked(const grpc::Status& status, bool tell, std::string_view cause) {
  if (ended_) return;
  ended_ = true;
  mailbox_.clear();
  bytes_ = in_flight_bytes_;
  cancel_at_ = outlet_.Now() + limits_.ack_timeout;
  if (tell && accepted_) TellEnded(cause);
  owes_end_ = tell && !accepted_;
  Finish(status);
  SetDeadline();
}

void WatchStream::EndAsSlow(std::string_view what) {
  const Rejection rejection{RejectReason::kSlowReader,
                            "the stream is not read fast enough (" + std::string(what) + "); watch again with backoff"};
  EndLocked(StatusOf(rejection), true, "slow reader: " + std::string(what));
}

void WatchStream::WriteNext() {
  while (accepted_ && !ended_ && !writing_ && !mailbox_.empty() && mailbox_.front()->ready) {
    StreamMail mail = std::move(mailbox_.front()->mail);
    mailbox_.pop_front();
    const LogTime now = outlet_.Now();
    if (!MayBeWritten(mail, now)) {
      bytes_ -= std::min(bytes_, mail.bytes.Length());
      continue;
    }
    in_flight_ = std::move(mail);
    in_flight_bytes_ = in_flight_.bytes.Length();
    writing_ = true;
    write_started_at_ = now;
    StartWrite(&in_flight_.bytes);
  }
  SetDeadline();
}

bool WatchStream::MayBeWritten(const StreamMail& mail, LogTime now) {
  if (mail.version.value() != 0 && mail.valid_until - now < kLeastValidity) {
    TellNotWritten(mail.version, "less than a second of its validity was left");
    return false;
  }
  if (mail.bytes.Length() <= limits_.message_bytes) return true;
  // The rules make updates fit, by an upper bound, and a task is small. Were one too large all the same, the next would
  // be as well: the stream ends instead of trying for ever.
  if (mail.version.value() != 0) TellNotWritten(mail.version, "it is over the limit of a message");
  const Rejection rejection{RejectReason::kLimitExceeded,
                            "a message of " + std::to_string(mail.bytes.Length()) + " bytes is over the limit of " +
                                std::to_string(limits_.message_bytes) + "; raise control_plane.max_message"};
  EndLocked(StatusOf(rejection), true, rejection.message);
  return false;
}

void WatchStream::TellEnded(std::string_view cause) {
  log::v1::Input input;
  const auto tell = [&](auto* ended) {
    ended->set_session_id(identity_.session_id);
    ended->set_stream(identity_.stream.value());
    ended->set_cause(std::string(cause));
  };
  if (identity_.member == MemberKind::kChecker) {
    input.mutable_task_stream_ended()->set_checker_id(identity_.member_id);
    tell(input.mutable_task_stream_ended());
  } else {
    input.mutable_stream_ended()->set_worker_id(identity_.member_id);
    tell(input.mutable_stream_ended());
  }
  outlet_.Complete(input);
}

void WatchStream::TellNotWritten(Version version, std::string_view cause) {
  log::v1::Input input;
  log::v1::UpdateNotWritten* not_written = input.mutable_update_not_written();
  not_written->set_worker_id(identity_.member_id);
  not_written->set_session_id(identity_.session_id);
  not_written->set_stream(identity_.stream.value());
  not_written->set_version(version.value());
  not_written->set_cause(std::string(cause));
  outlet_.Complete(input);
}

void WatchStream::SetDeadline() {
  constexpr LogTime kNever = LogTimeFromMicros(std::numeric_limits<std::int64_t>::max());
  LogTime deadline = kNever;
  if (ended_) {
    if (!IsAbsent(cancel_at_)) deadline = cancel_at_;
  } else {
    deadline = opened_at_ + limits_.longest;
    if (!IsAbsent(delivered_until_)) deadline = std::min(deadline, delivered_until_);
    if (writing_ && !mailbox_.empty()) deadline = std::min(deadline, write_started_at_ + limits_.ack_timeout);
  }
  deadline_micros_.store(ToMicros(deadline), std::memory_order_relaxed);
}

}  // namespace holdfast::server
