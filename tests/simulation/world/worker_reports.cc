// Reports, outcomes and requests of a simulated worker process.

#include <algorithm>
#include <utility>

#include "tests/simulation/world/worker_process.h"

namespace holdfast::simulation {
namespace {

using controlplane::v1::ReportOutcomesRequest;
using controlplane::v1::ReportOutcomesResponse;
using controlplane::v1::ReportRuntimeRequest;
using controlplane::v1::ReportRuntimeResponse;

constexpr int kMostOutcomes = 6;  // of a batch

}  // namespace

// The client never has an ACK and a report in flight together; an ACK goes first.
void WorkerProcess::SendNextControl() {
  if (!session_ || control_in_flight_) return;
  if (mute_until_ > world_.time.now()) pending_ack_.reset();
  if (pending_ack_) return SendAck();
  if (std::exchange(report_due_, false)) SendReport();
}

void WorkerProcess::ReportTick(std::uint64_t session_serial) {
  if (session_serial != session_serial_ || !session_) return;
  // Nothing has come back for session_ttl: the session is given up.
  if (BootNow() - last_success_boot_ > session_->ttl) return LoseSession();
  report_due_ = true;
  SendNextControl();
  if (!session_) return;
  Later(session_->report_interval, [this, session_serial] { ReportTick(session_serial); });
}

void WorkerProcess::SendReport() {
  control_in_flight_ = true;
  ReportRuntimeRequest request;
  if (unanswered_report_ && world_.random.Chance(1, 3)) {
    request = *unanswered_report_;  // the same again: its answer may have been lost; it renews nothing then
  } else {
    report_first_sent_ = world_.time.now();
    request.set_worker_id(identity_.worker_id);
    request.set_session_id(session_->id);
    request.set_ownership_epoch(session_->epoch);
    request.set_report_sequence(++report_sequence_);
    request.set_draining(leaving_);
    if (view_ && view_->session_id == session_->id) {
      request.set_snapshot_version(view_->version);
      for (const auto& [proxy_id, running] : traffic_.Counters()) {
        controlplane::v1::ProxyRuntime& counter = *request.add_counters();
        counter.set_proxy_id(proxy_id);
        counter.set_active(running.active);
        counter.set_reserved(running.reserved);
        counter.set_draining(running.draining);
      }
    }
  }
  unanswered_report_ = request;
  log::v1::Input input;
  *input.mutable_report_runtime()->mutable_request() = request;
  Call(input, kCallDeadline,
       [this, request, serial = session_serial_, sent = BootNow(),
        sent_true = report_first_sent_](const CallAnswer& answer) {
         judge::ReportAnswered answered{request, {}, answer.end, sent_true};
         if (answer.end.ok()) answered.response = std::get<ReportRuntimeResponse>(answer.reply);
         Tell(answered);
         if (serial == session_serial_) Reported(request, answer, sent);
       });
}

void WorkerProcess::Reported(const ReportRuntimeRequest&, const CallAnswer& answer, std::int64_t sent_boot) {
  control_in_flight_ = false;
  if (answer.end.ok()) {
    const auto& response = std::get<ReportRuntimeResponse>(answer.reply);
    unanswered_report_.reset();
    HearTime(response, sent_boot);
    OnSessionState(response.session_state());
  } else if (answer.end.detail) {
    unanswered_report_.reset();
    last_success_boot_ = BootNow();  // it was heard, though it was refused
    React(answer.end);
  }
  SendNextControl();
}

void WorkerProcess::OutcomeTick(std::uint64_t session_serial) {
  if (session_serial != session_serial_ || !session_) return;
  Later(world_.Between(kSecond, 6 * kSecond), [this, session_serial] { OutcomeTick(session_serial); });
  if (outcomes_in_flight_ || !view_) return;
  ReportOutcomesRequest request;
  request.set_worker_id(identity_.worker_id);
  request.set_session_id(session_->id);
  request.set_ownership_epoch(session_->epoch);
  request.set_sequence(++outcome_sequence_);
  for (const auto& [proxy_id, listed] : view_->content->proxies) {
    if (world_.random.Chance(1, 2)) PutOutcome(listed->grant, *request.add_outcomes());
    if (request.outcomes_size() == kMostOutcomes) break;
  }
  SendOutcomes(request);
}

// How requests through it have ended, as it truly is.
void WorkerProcess::PutOutcome(const controlplane::v1::ProxyGrant& grant, controlplane::v1::Outcome& outcome) {
  const TrueHealth& health = world_.truth.Of(grant.endpoint());
  outcome.set_proxy_id(grant.proxy_id());
  outcome.set_count(static_cast<std::uint32_t>(world_.random.Below(5)));
  const std::string routing_id = RoutingId(world_.random.Below(kRoutingIds));
  if (!health.alive) {
    outcome.set_phase(world_.random.Chance(1, 2) ? controlplane::v1::OUTCOME_PHASE_DIAL
                                                 : controlplane::v1::OUTCOME_PHASE_PROXY_HANDSHAKE);
    outcome.set_error(controlplane::v1::OUTCOME_ERROR_TIMEOUT);
  } else if (health.unreachable.contains(routing_id)) {
    outcome.set_routing_id(routing_id);
    outcome.set_phase(controlplane::v1::OUTCOME_PHASE_RESPONSE_HEADERS);
    outcome.set_error(controlplane::v1::OUTCOME_ERROR_RESET);
  } else {
    outcome.set_routing_id(routing_id);
    outcome.set_phase(controlplane::v1::OUTCOME_PHASE_TUNNEL);
    outcome.set_error(controlplane::v1::OUTCOME_ERROR_NONE);
  }
  if (world_.random.Chance(1, 20)) outcome.set_error(controlplane::v1::OUTCOME_ERROR_CANCELLED);
}

// One batch is outstanding at a time, and sent again until it is answered.
void WorkerProcess::SendOutcomes(const ReportOutcomesRequest& request) {
  outcomes_in_flight_ = true;
  log::v1::Input input;
  *input.mutable_report_outcomes()->mutable_request() = request;
  Call(input, kCallDeadline,
       [this, request, serial = session_serial_, sent = BootNow(),
        sent_true = world_.time.now()](const CallAnswer& answer) {
         judge::OutcomesAnswered answered{request, {}, answer.end, sent_true};
         if (answer.end.ok()) answered.response = std::get<ReportOutcomesResponse>(answer.reply);
         Tell(answered);
         if (serial != session_serial_) return;
         outcomes_in_flight_ = false;
         if (answer.end.ok()) {
           const auto& response = std::get<ReportOutcomesResponse>(answer.reply);
           outcome_sequence_ = std::max(outcome_sequence_, response.accepted_sequence());
           HearTime(response, sent);
           OnSessionState(response.session_state());
         } else if (answer.end.detail) {
           React(answer.end);
         } else {
           outcomes_in_flight_ = true;
           Later(world_.Between(200 * kMillisecond, kSecond), [this, request, serial] {
             if (serial == session_serial_) SendOutcomes(request);
           });
         }
       });
}

void WorkerProcess::RequestTick() {
  traffic_.OnRequest();
  Later(world_.Between(40 * kMillisecond, 500 * kMillisecond), [this] { RequestTick(); });
}

}  // namespace holdfast::simulation
