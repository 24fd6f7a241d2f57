// Streams, updates and acknowledgements of a simulated worker process.

#include <utility>

#include "tests/simulation/world/worker_process.h"

namespace holdfast::simulation {
namespace {

using controlplane::v1::AcknowledgeSnapshotRequest;
using controlplane::v1::AcknowledgeSnapshotResponse;
using controlplane::v1::SnapshotRefusal;
using controlplane::v1::SnapshotUpdate;

constexpr Micros kLeastPatience = 5 * kSecond, kMostPatience = 90 * kSecond;  // without a first message

}  // namespace

void WorkerProcess::Watch() {
  if (!session_) return;
  watch_scheduled_ = false;
  const std::uint64_t before = stream_open_ ? stream_ : 0;
  const std::uint64_t stream = ++stream_;
  stream_open_ = true;
  stream_heard_ = false;
  log::v1::Input input;
  auto& request = *input.mutable_watch_snapshots()->mutable_request();
  request.set_worker_id(identity_.worker_id);
  request.set_session_id(session_->id);
  request.set_ownership_epoch(session_->epoch);
  if (view_ && view_->session_id == session_->id && !watch_from_nothing_) {
    request.set_last_version(view_->version);
    request.set_last_checksum(view_->checksum);
  }
  watch_from_nothing_ = false;
  Tell(judge::WatchOpened{request});
  IncomingCall call;
  call.input = input;
  call.principal = "loopback";
  call.peer = name();
  call.watch = std::make_shared<WatchEnds>();
  call.watch->link = &link_;
  call.watch->handle = stream;
  call.watch->on_message = [this, stream](const SnapshotUpdate& update) {
    Run([this, stream, update] { OnMessage(stream, update); });
  };
  call.watch->on_end = [this, stream](const CallEnd& end) { Run([this, stream, end] { OnStreamEnd(stream, end); }); };
  if (before != 0) network_.SendUp(link_, false, [this, before] { controller_.ClientGone(&link_, before); });
  network_.SendUp(link_, false, [this, call] { controller_.Arrive(call); });
  Later(world_.Between(kLeastPatience, kMostPatience), [this, stream] {
    if (stream == stream_ && stream_open_ && !stream_heard_) WatchLater();
  });
}

void WorkerProcess::WatchLater() {
  if (watch_scheduled_) return;
  watch_scheduled_ = true;
  watch_from_nothing_ = true;
  Later(world_.Between(300 * kMillisecond, 2 * kSecond), [this, serial = session_serial_] {
    watch_scheduled_ = false;
    if (serial == session_serial_) Watch();
  });
}

void WorkerProcess::BreakStream() {
  if (!session_ || !stream_open_) return;
  network_.SendUp(link_, false, [this, stream = stream_] { controller_.ClientGone(&link_, stream); });
  OnStreamEnd(stream_, Unavailable());
}

void WorkerProcess::OnStreamEnd(std::uint64_t stream, const CallEnd& end) {
  if (stream != stream_ || !session_ || !stream_open_) return;
  stream_open_ = false;
  Tell(judge::WatchEnded{session_->id, end});
  React(end);
  if (!session_ || watch_scheduled_) return;
  watch_scheduled_ = true;
  const Micros wait =
      end.ok() ? world_.Between(0, 100 * kMillisecond) : world_.Between(500 * kMillisecond, 2 * kSecond);
  Later(wait, [this, serial = session_serial_] {
    watch_scheduled_ = false;
    if (serial == session_serial_ && !stream_open_) Watch();
  });
}

void WorkerProcess::OnMessage(std::uint64_t stream, const SnapshotUpdate& update) {
  if (stream != stream_ || !session_ || !stream_open_) {
    world_.checkers.reached().Count("worker", "update of an old stream passed over");
    return;
  }
  stream_heard_ = true;
  if (update.has_drain()) return traffic_.Stop();
  Tell(judge::UpdateReceived{session_->id, update});
  OnUpdate(update);
}

void WorkerProcess::OnUpdate(const SnapshotUpdate& update) {
  WorkerView view;
  SnapshotRefusal refusal = Check(update, view);
  if (refusal == controlplane::v1::SNAPSHOT_REFUSAL_UNSPECIFIED && world_.faults.Strikes(Fault::kUpdateRefused)) {
    refusal = controlplane::v1::SNAPSHOT_REFUSAL_CHECKSUM;  // as one that misread it
  }
  if (refusal != controlplane::v1::SNAPSHOT_REFUSAL_UNSPECIFIED) return Refuse(view, refusal);
  Take(std::move(view));
}

SnapshotRefusal WorkerProcess::Check(const SnapshotUpdate& update, WorkerView& view) const {
  const bool full = update.has_full();
  view.session_id = session_->id;
  view.clock = session_->clock;
  view.lapse_grace_us = session_->lapse_grace_us;
  view.version = full ? update.full().version() : update.delta().version();
  view.epoch = full ? update.full().ownership_epoch() : update.delta().ownership_epoch();
  view.valid_until_us = TimeOf(full ? update.full().valid_until() : update.delta().valid_until());
  view.checksum = full ? update.full().checksum() : update.delta().checksum();
  if (view.epoch != session_->epoch || std::pair(view.epoch, view.version) <= highest_taken_) {
    return controlplane::v1::SNAPSHOT_REFUSAL_MALFORMED;
  }
  if (session_->clock->LatestAt(BootNow()) >= view.valid_until_us) return controlplane::v1::SNAPSHOT_REFUSAL_EXPIRED;
  if (full) {
    view.content = judge::ContentOf(update.full());
  } else {
    const bool on_base = view_ && view_->session_id == session_->id && view_->version == update.delta().base_version();
    if (!on_base) return controlplane::v1::SNAPSHOT_REFUSAL_BASE_VERSION;
    view.content = judge::ContentAfter(view_->content, update.delta());
  }
  if (view.content->Digest(view.epoch) != view.checksum) return controlplane::v1::SNAPSHOT_REFUSAL_CHECKSUM;
  return controlplane::v1::SNAPSHOT_REFUSAL_UNSPECIFIED;
}

void WorkerProcess::Take(WorkerView view) {
  highest_taken_ = {view.epoch, view.version};
  last_version_ = view.version;
  view_ = std::make_shared<const WorkerView>(std::move(view));
  Tell(judge::UpdateTaken{view_->session_id, view_->version});
  traffic_.Take(view_);
  pending_ack_.reset();
  const auto answer = [this, serial = session_serial_, view = view_] {
    if (serial != session_serial_ || view != view_) return;
    pending_ack_ = PendingAck{view->version, view->checksum, true, {}, view->checksum};
    SendNextControl();
  };
  if (!world_.faults.Strikes(Fault::kAnswerLate)) return answer();
  Later(world_.Between(kSecond, 10 * kSecond), answer);
}

void WorkerProcess::Refuse(const WorkerView& view, SnapshotRefusal refusal) {
  pending_ack_ = PendingAck{view.version, "", false, refusal, view.checksum};
  SendNextControl();
  WatchLater();
}

// Somebody's ACK of the very update that was refused, which comes late.
void WorkerProcess::SendLateAck(const PendingAck& refused) {
  log::v1::Input input;
  AcknowledgeSnapshotRequest& request = *input.mutable_acknowledge_snapshot();
  request.set_worker_id(identity_.worker_id);
  request.set_session_id(session_->id);
  request.set_version(refused.version);
  request.set_ownership_epoch(session_->epoch);
  request.set_checksum(refused.issued_checksum);
  request.set_accepted(true);
  Later(world_.Between(0, 300 * kMillisecond), [this, input] { Call(input, kCallDeadline, [](const CallAnswer&) {}); });
}

void WorkerProcess::SendAck() {
  const PendingAck ack = *pending_ack_;
  pending_ack_.reset();
  last_ack_ = ack;
  control_in_flight_ = true;
  log::v1::Input input;
  AcknowledgeSnapshotRequest& request = *input.mutable_acknowledge_snapshot();
  request.set_worker_id(identity_.worker_id);
  request.set_session_id(session_->id);
  request.set_version(ack.version);
  request.set_ownership_epoch(session_->epoch);
  request.set_checksum(ack.checksum);
  request.set_accepted(ack.accepted);
  request.set_refusal(ack.refusal);
  if (!ack.accepted) request.set_reject_detail("simulated");
  Tell(judge::AckSent{request});
  Call(input, kCallDeadline,
       [this, ack, request, serial = session_serial_, sent = BootNow(),
        sent_true = world_.time.now()](const CallAnswer& answer) {
         if (serial != session_serial_) return;  // the session was given up meanwhile
         judge::AckAnswered answered{request, {}, answer.end, sent_true};
         if (answer.end.ok()) answered.response = std::get<AcknowledgeSnapshotResponse>(answer.reply);
         Tell(answered);
         Acknowledged(ack, request, answer, sent);
       });
}

void WorkerProcess::Acknowledged(const PendingAck& ack, const AcknowledgeSnapshotRequest&, const CallAnswer& answer,
                                 std::int64_t sent_boot) {
  control_in_flight_ = false;
  if (answer.end.ok()) {
    const auto& response = std::get<AcknowledgeSnapshotResponse>(answer.reply);
    HearTime(response, sent_boot);
    if (!ack.accepted && world_.faults.Strikes(Fault::kRefusedAcked)) SendLateAck(ack);
    OnSessionState(response.session_state());
  } else if (answer.end.detail) {
    React(answer.end);
  } else if (!pending_ack_) {  // no answer: it may or may not have been heard
    pending_ack_ = ack;
    return Later(world_.Between(200 * kMillisecond, kSecond), [this] { SendNextControl(); });
  }
  SendNextControl();
}

}  // namespace holdfast::simulation
