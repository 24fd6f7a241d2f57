#include "client/snapshot_link.h"

#include <utility>

#include "client/session_hints.h"

namespace holdfast::client {

namespace wire = controlplane::v1;
using session::SessionEventKind;

SnapshotLink::SnapshotLink(WorkerContext& context, Answers answers, std::function<void()> on_taken)
    : context_(context),
      answers_(std::move(answers)),
      on_taken_(std::move(on_taken)),
      keeper_(context.scheduler, session::Backoff(context.settings.backoff, context.random),
              {.open = [this](WorkerTransport::SnapshotEvents events) { return Watch(std::move(events)); },
               .on_update = [this](const wire::SnapshotUpdate& update) { OnUpdate(update); },
               .on_end = [this](const CallResult& result, BootTime opened_at) { OnEnd(result, opened_at); }}) {}

void SnapshotLink::Open() { keeper_.Open(); }

void SnapshotLink::Close() { keeper_.Close(); }

std::unique_ptr<UpdateStream> SnapshotLink::Watch(WorkerTransport::SnapshotEvents events) {
  const SnapshotViewPointer& held = context_.gate.views().owned();
  request_.Clear();
  request_.set_worker_id(context_.settings.worker_id);
  request_.set_session_id(context_.session->id);
  request_.set_ownership_epoch(context_.session->ownership_epoch);
  if (held && !from_nothing_) {
    request_.set_last_version(held->version);
    request_.set_last_checksum(held->checksum);
  }
  context_.observer.OnWatch(request_);
  return context_.transport->Watch(request_, std::move(events));
}

void SnapshotLink::WatchFromNothing() {
  from_nothing_ = true;
  keeper_.OpenAgain(std::nullopt);
}

void SnapshotLink::WatchAgain() {
  if (!keeper_.IsFresh()) WatchFromNothing();
}

void SnapshotLink::OnUpdate(const wire::SnapshotUpdate& update) {
  context_.observer.OnUpdate(update);
  if (update.has_drain()) {
    keeper_.ReadNext();
    context_.tell({.kind = SessionEventKind::kDrainTold});
    return;
  }
  if (!update.has_full() && !update.has_delta()) {
    WatchFromNothing();
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
  keeper_.ReadNext();
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
  WatchFromNothing();
}

void SnapshotLink::OnEnd(const CallResult& result, BootTime opened_at) {
  context_.observer.OnCall({CallName::kWatch, opened_at, context_.scheduler->Now(), result, &request_, nullptr});
  if (const auto hint = HintOfStreamEnd(result)) return context_.tell_refused(*hint, result);
  keeper_.OpenAgain(RetryAfter(result));
}

}  // namespace holdfast::client
