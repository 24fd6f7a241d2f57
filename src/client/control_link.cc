#include "client/control_link.h"

#include <algorithm>
#include <utility>

#include "client/session_hints.h"

namespace holdfast::client {

namespace wire = controlplane::v1;
using session::SessionEventKind;
using wire::AcknowledgeSnapshotRequest;
using wire::AcknowledgeSnapshotResponse;
using wire::ReportRuntimeRequest;
using wire::ReportRuntimeResponse;

ControlLink::ControlLink(WorkerContext& context, Events events)
    : context_(context), events_(std::move(events)), backoff_(context.settings.backoff, context.random) {}

ControlLink::~ControlLink() { Close(); }

void ControlLink::Open() { ScheduleReport(context_.session->session_ttl / 3); }

void ControlLink::Close() {
  closed_ = true;
  context_.scheduler->Cancel(std::exchange(report_timer_, 0));
  context_.scheduler->Cancel(std::exchange(retry_timer_, 0));
}

void ControlLink::ScheduleReport(Duration delay) {
  context_.scheduler->Cancel(report_timer_);
  report_timer_ = context_.scheduler->RunAt(context_.scheduler->Now() + delay, [this] {
    report_timer_ = 0;
    ReportNow();
    if (!closed_ && report_timer_ == 0) ScheduleReport(context_.session->report_interval);
  });
}

void ControlLink::ReportNow() {
  report_due_ = true;
  Pump();
}

void ControlLink::Accept(const SnapshotView& view) {
  AcknowledgeSnapshotRequest request;
  request.set_worker_id(context_.settings.worker_id);
  request.set_session_id(context_.session->id);
  request.set_version(view.version);
  request.set_ownership_epoch(view.ownership_epoch);
  request.set_checksum(view.checksum);
  request.set_accepted(true);
  acks_.push_back(std::move(request));
  Pump();
}

void ControlLink::Refuse(const UpdateRefused& refused) {
  AcknowledgeSnapshotRequest request;
  request.set_worker_id(context_.settings.worker_id);
  request.set_session_id(context_.session->id);
  request.set_version(refused.version);
  request.set_ownership_epoch(context_.session->ownership_epoch);
  request.set_accepted(false);
  request.set_refusal(refused.refusal);
  request.set_reject_detail(refused.detail);
  request.set_computed_checksum(refused.computed_checksum);
  acks_.push_back(std::move(request));
  Pump();
}

void ControlLink::Pump() {
  if (closed_ || in_flight_) return;
  if (!acks_.empty() && retry_timer_ == 0) {
    SendAck();
  } else if (report_due_) {
    SendReport();
  }
}

void ControlLink::SendAck() {
  // A newer answer makes an older positive one pointless.
  while (acks_.size() > 1 && acks_.front().accepted()) acks_.pop_front();
  in_flight_ = true;
  const AcknowledgeSnapshotRequest request = acks_.front();
  Done<AcknowledgeSnapshotResponse> done = [this, request, alive = std::weak_ptr(alive_)](const CallResult& result,
                                                                                          const auto& response) {
    if (!alive.lock() || closed_) return;
    in_flight_ = false;
    OnAck(request, result, response);
  };
  context_.transport->Acknowledge(request, context_.settings.call_deadline,
                                  context_.Recorded(CallName::kAcknowledge, request, std::move(done)));
}

void ControlLink::OnAck(const AcknowledgeSnapshotRequest& request, const CallResult& result,
                        const AcknowledgeSnapshotResponse& response) {
  if (!result.ok()) {
    OnAckRefused(request, result);
    return;
  }
  acks_.pop_front();
  context_.observer.OnAck(request, response);
  if (request.accepted()) {
    backoff_.PositiveAck();
    events_.acknowledged();
    context_.tell({.kind = SessionEventKind::kAckAccepted});
    if (!closed_) ScheduleReport(context_.session->report_interval);
    report_due_ = true;
  } else {
    context_.tell({.kind = SessionEventKind::kCallSucceeded});
  }
  TellState(response.session_state());
  Pump();
}

void ControlLink::OnAckRefused(const AcknowledgeSnapshotRequest& request, const CallResult& result) {
  const Reaction reaction = ReactionTo(result);
  if (const auto hint = HintOf(reaction)) return context_.tell_refused(*hint, result);
  switch (reaction) {
    case Reaction::kWait:
    case Reaction::kRetry:
      RetryLater(RetryAfter(result));
      break;
    case Reaction::kWatchAgain:
      acks_.pop_front();
      // A refusal that came too late has no effect, and needs none: a new watch is under way.
      if (request.accepted()) events_.watch_again();
      break;
    default:
      acks_.pop_front();
      break;
  }
  Pump();
}

void ControlLink::RetryLater(std::optional<Duration> retry_after) {
  const Duration delay = std::max(backoff_.NextDelay(), retry_after.value_or(Duration::zero()));
  context_.scheduler->Cancel(retry_timer_);
  retry_timer_ = context_.scheduler->RunAt(context_.scheduler->Now() + delay, [this] {
    retry_timer_ = 0;
    Pump();
  });
}

ReportRuntimeRequest ControlLink::MakeReport() {
  ReportRuntimeRequest request;
  request.set_worker_id(context_.settings.worker_id);
  request.set_session_id(context_.session->id);
  request.set_report_sequence(++report_sequence_);
  request.set_ownership_epoch(context_.session->ownership_epoch);
  request.set_draining(context_.leaving);
  // The view first, then each word once: what is counted was reserved under this view or one before it.
  const SnapshotViewPointer view = context_.gate.views().owned();
  const bool of_this_session = view && view->session_id == context_.session->id;
  request.set_snapshot_version(of_this_session ? view->version : 0);
  context_.slots.ForEach([&](const std::string& proxy_id, const Slot& slot) {
    const SlotState state = slot.Read();
    if (!state.InUse()) return;
    const GrantRow* row = view ? view->grants->Find(proxy_id) : nullptr;
    wire::ProxyRuntime* counter = request.add_counters();
    counter->set_proxy_id(proxy_id);
    counter->set_active(state.active);
    counter->set_reserved(state.reserved);
    counter->set_draining(row && row->use == GrantUse::kFinishOnly);
  });
  return request;
}

void ControlLink::SendReport() {
  report_due_ = false;
  in_flight_ = true;
  context_.gate.views().Collect();
  context_.slots.Collect();
  const ReportRuntimeRequest request = MakeReport();
  Done<ReportRuntimeResponse> done = [this, request, alive = std::weak_ptr(alive_)](const CallResult& result,
                                                                                    const auto& response) {
    if (!alive.lock() || closed_) return;
    in_flight_ = false;
    OnReport(request, result, response);
  };
  context_.transport->ReportRuntime(request, context_.settings.call_deadline,
                                    context_.Recorded(CallName::kReport, request, std::move(done)));
}

void ControlLink::OnReport(const ReportRuntimeRequest& request, const CallResult& result,
                           const ReportRuntimeResponse& response) {
  if (!result.ok()) {
    OnReportRefused(result);
  } else {
    for (const std::string& proxy_id : response.revoke_proxy_ids()) {
      if (Slot* slot = context_.slots.Find(proxy_id)) slot->Close();
    }
    context_.observer.OnReport(request, response);
    context_.tell({.kind = SessionEventKind::kCallSucceeded});
    TellState(response.session_state());
  }
  Pump();
}

void ControlLink::OnReportRefused(const CallResult& result) {
  const wire::RejectReason reason = result.reason();
  if (reason == wire::REJECT_REASON_VERSION_NOT_ACKNOWLEDGED || reason == wire::REJECT_REASON_RUNTIME_FENCED) {
    // Refused, but heard: the session is renewed by it.
    context_.tell({.kind = SessionEventKind::kCallSucceeded});
  }
  const Reaction reaction = ReactionTo(result);
  if (const auto hint = HintOf(reaction)) return context_.tell_refused(*hint, result);
  switch (reaction) {
    case Reaction::kWatchAgain:
      // An answer that is on its way settles it; a version that was taken is acknowledged again.
      if (!acks_.empty()) break;
      if (reason == wire::REJECT_REASON_VERSION_NOT_ACKNOWLEDGED) {
        AcknowledgeAgain();
      } else {
        events_.watch_again();
      }
      break;
    case Reaction::kWait:
      if (const std::optional<Duration> wait = RetryAfter(result)) {
        ScheduleReport(std::max(*wait, context_.session->report_interval));
      }
      break;
    default:
      break;  // the next report goes out in its turn, under a new number
  }
}

void ControlLink::AcknowledgeAgain() {
  const SnapshotViewPointer view = context_.gate.views().owned();
  if (view && view->session_id == context_.session->id) Accept(*view);
}

void ControlLink::TellState(wire::SessionState state) {
  if (const auto hint = HintOf(state)) context_.tell({.kind = *hint});
}

}  // namespace holdfast::client
