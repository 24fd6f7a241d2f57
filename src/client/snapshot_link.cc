#include "client/snapshot_link.h"

#include <algorithm>
#include <utility>

namespace holdfast::client {

namespace wire = controlplane::v1;
using session::SessionEventKind;

SnapshotLink::SnapshotLink(WorkerContext& context, Answers answers, std::function<void()> on_taken)
    : context_(context),
      answers_(std::move(answers)),
      on_taken_(std::move(on_taken)),
      backoff_(context.settings.backoff, context.random) {}

SnapshotLink::~SnapshotLink() { Close(); }

void SnapshotLink::Open() { Watch(); }

void SnapshotLink::Close() {
  closed_ = true;
  context_.scheduler->Cancel(std::exchange(timer_, 0));
  stream_.reset();
}

void SnapshotLink::Watch() {
  if (closed_) return;
  const SnapshotViewPointer& held = context_.gate.views().owned();
  request_.Clear();
  request_.set_worker_id(context_.settings.worker_id);
  request_.set_session_id(context_.session->id);
  request_.set_ownership_epoch(context_.session->ownership_epoch);
  if (held && !from_nothing_) {
    request_.set_last_version(held->version);
    request_.set_last_checksum(held->checksum);
  }
  brought_something_ = false;
  opened_at_ = context_.scheduler->Now();
  backoff_.SessionOpened(opened_at_);
  context_.observer.OnWatch(request_);
  stream_ = context_.transport->Watch(request_, {[this](const wire::SnapshotUpdate& update) { OnUpdate(update); },
                                                 [this](const CallResult& result) { OnEnd(result); }});
}

void SnapshotLink::ScheduleWatch(bool from_nothing, std::optional<Duration> retry_after) {
  from_nothing_ = from_nothing_ || from_nothing;
  if (closed_ || timer_ != 0) return;
  if (stream_) {
    dropped_ = std::move(stream_);
    context_.scheduler->Post([this, alive = std::weak_ptr(alive_)] {
      if (alive.lock()) dropped_.reset();
    });
  }
  const BootTime now = context_.scheduler->Now();
  backoff_.SessionEnded(now);
  const Duration delay = std::max(backoff_.NextDelay(), retry_after.value_or(Duration::zero()));
  timer_ = context_.scheduler->RunAt(now + delay, [this] {
    timer_ = 0;
    Watch();
  });
}

void SnapshotLink::WatchAgain() {
  if (stream_ && !brought_something_) return;
  ScheduleWatch(true, std::nullopt);
}

void SnapshotLink::OnUpdate(const wire::SnapshotUpdate& update) {
  // A stream that was dropped may still have had one in its hands: only the newest counts.
  if (closed_ || !stream_) return;
  brought_something_ = true;
  context_.observer.OnUpdate(update);
  if (update.has_drain()) {
    stream_->ReadNext();
    context_.tell({.kind = SessionEventKind::kDrainTold});
    return;
  }
  if (!update.has_full() && !update.has_delta()) {
    ScheduleWatch(true, std::nullopt);
    return;
  }
  const UpdateContext how = {.session_id = context_.session->id,
                             .ownership_epoch = context_.session->ownership_epoch,
                             .clock = context_.session->clock,
                             .held = context_.gate.views().owned(),
                             .high_water = context_.high_water,
                             .max_stale_age = context_.session->max_stale_age,
                             .max_proxies = context_.settings.max_proxies.value_or(0),
                             .slots = &context_.slots};
  const auto judged = TakeUpdate(update, how, context_.scheduler->Now());
  if (const auto* refused = std::get_if<UpdateRefused>(&judged)) {
    Refused(*refused);
    return;
  }
  Taken(std::get<UpdateTaken>(judged));
  if (stream_) stream_->ReadNext();
}

void SnapshotLink::Taken(const UpdateTaken& taken) {
  context_.high_water = {taken.view->ownership_epoch, taken.view->version};
  context_.bounds.OnTaken(context_.gate.views().owned(), taken, context_.session->lapse_grace);
  SetSlots(taken);
  from_nothing_ = false;
  context_.observer.OnUpdateTaken(taken);
  on_taken_();
  answers_.accept(*taken.view);
}

void SnapshotLink::SetSlots(const UpdateTaken& taken) {
  std::vector<std::string> held;
  for (const GrantRowPointer& row : taken.listed) {
    if (!row->MayReserve()) row->slot->Close();
    if (row->use == GrantUse::kNone && row->slot->Read().InUse()) held.push_back(row->id());
  }
  for (const GrantRowPointer& row : taken.unlisted) row->slot->Close();
  context_.gate.views().Swap(taken.view);
  for (const GrantRowPointer& row : taken.listed) {
    if (row->MayReserve()) row->slot->Open();
  }
  if (!held.empty()) context_.observer.OnCut(held);
}

void SnapshotLink::Refused(const UpdateRefused& refused) {
  context_.observer.OnUpdateRefused(refused);
  answers_.refuse(refused);
  ScheduleWatch(true, std::nullopt);
}

void SnapshotLink::OnEnd(const CallResult& result) {
  if (closed_) return;
  dropped_ = std::move(stream_);
  context_.scheduler->Post([this, alive = std::weak_ptr(alive_)] {
    if (alive.lock()) dropped_.reset();
  });
  context_.observer.OnCall({CallName::kWatch, opened_at_, context_.scheduler->Now(), result, &request_, nullptr});
  if (closed_) return;
  const Reaction reaction = result.ok() ? Reaction::kRetry : ReactionTo(result);
  if (reaction == Reaction::kRegisterAnew) {
    context_.tell({.kind = SessionEventKind::kSessionRefused});
  } else if (reaction == Reaction::kStop || reaction == Reaction::kMend) {
    // The same call would be refused again: only a mended client can go on.
    context_.tell({.kind = SessionEventKind::kRefusedForGood});
  } else {
    ScheduleWatch(false, RetryAfter(result));
  }
}

}  // namespace holdfast::client
