#include "client/observation_link.h"

#include <algorithm>
#include <utility>

#include "client/session_hints.h"

namespace holdfast::client {

namespace wire = controlplane::v1;
using session::SessionEventKind;
using wire::HealthObservation;
using wire::ReportObservationsRequest;
using wire::ReportObservationsResponse;

ObservationLink::ObservationLink(CheckerContext& context, Events events)
    : context_(context), events_(std::move(events)), batch_limit_(context.session->max_batch) {}

ObservationLink::~ObservationLink() { context_.scheduler->Cancel(timer_); }

void ObservationLink::Open() { ScheduleReport(context_.session->report_interval); }

void ObservationLink::Close() {
  if (std::exchange(closed_, true)) return;
  context_.scheduler->Cancel(std::exchange(timer_, 0));
  if (outstanding_) PutBack();
  for (const HealthObservation& observation : waiting_) Lose(observation, ObservationLoss::kSessionOver);
}

void ObservationLink::ScheduleReport(Duration delay) {
  context_.scheduler->Cancel(timer_);
  timer_ = context_.scheduler->RunAt(context_.scheduler->Now() + delay, [this] {
    timer_ = 0;
    held_back_ = false;
    ReportNow();
    if (!closed_ && timer_ == 0) ScheduleReport(context_.session->report_interval);
  });
}

void ObservationLink::Add(HealthObservation observation) {
  held_.insert(observation.task_id());
  waiting_.push_back(std::move(observation));
}

void ObservationLink::ReportNow() {
  due_ = true;
  Send();
}

void ObservationLink::Send() {
  if (closed_ || in_flight_ || held_back_) return;
  if (!outstanding_ && !due_ && waiting_.empty()) return;
  if (!outstanding_) outstanding_ = MakeReport();
  Call();
}

ReportObservationsRequest ObservationLink::MakeReport() {
  due_ = false;
  ReportObservationsRequest request;
  request.set_checker_id(context_.settings.checker_id);
  request.set_session_id(context_.session->id);
  request.set_sequence(++sequence_);
  request.set_draining(context_.leaving);
  const Load load = events_.load();
  request.set_running(load.running);
  request.set_queued_request_count(load.waiting);
  while (!waiting_.empty() && static_cast<std::size_t>(request.observations_size()) < batch_limit_) {
    *request.add_observations() = std::move(waiting_.front());
    waiting_.pop_front();
  }
  return request;
}

void ObservationLink::Call() {
  in_flight_ = true;
  ScheduleReport(context_.session->report_interval);
  Done<ReportObservationsResponse> done = [this, alive = std::weak_ptr(alive_)](const CallResult& result,
                                                                                const auto& response) {
    if (!alive.lock() || closed_) return;
    in_flight_ = false;
    OnAnswer(result, response);
  };
  context_.transport->ReportObservations(*outstanding_, context_.settings.call_deadline,
                                         context_.Recorded(CallName::kReport, *outstanding_, std::move(done)));
}

void ObservationLink::OnAnswer(const CallResult& result, const ReportObservationsResponse& response) {
  if (result.ok()) {
    OnAccepted(response);
  } else {
    OnRefused(result);
  }
  Send();
}

void ObservationLink::OnAccepted(const ReportObservationsResponse& response) {
  const ReportObservationsRequest request = *std::exchange(outstanding_, std::nullopt);
  for (const HealthObservation& observation : request.observations()) held_.erase(observation.task_id());
  context_.observer.OnReport(request, response);
  for (const std::string& task_id : response.unknown_task_ids()) {
    context_.observer.OnObservationLost(task_id, ObservationLoss::kUnknown);
  }
  const bool attached = response.session_state() == wire::SESSION_STATE_ACTIVE;
  if (attached) events_.attached();
  context_.tell({.kind = attached ? SessionEventKind::kAckAccepted : SessionEventKind::kCallSucceeded});
  if (const auto hint = HintOf(response.session_state())) context_.tell({.kind = *hint});
}

void ObservationLink::OnRefused(const CallResult& result) {
  const Reaction reaction = ReactionTo(result);
  if (const auto hint = HintOf(reaction)) return context_.tell_refused(*hint, result);
  // Nothing goes out at once after a refusal, whatever waits.
  held_back_ = true;
  ScheduleReport(std::max(context_.session->report_interval, RetryAfter(result).value_or(Duration::zero())));
  switch (reaction) {
    case Reaction::kWait:
    case Reaction::kRetry:
      return;  // the same again
    case Reaction::kNewNumber:
      return PutBack();
    case Reaction::kSendLess:
      if (outstanding_->observations_size() < 2) return GiveUp();
      batch_limit_ = static_cast<std::size_t>(outstanding_->observations_size()) / 2;
      return PutBack();
    default:
      return GiveUp();
  }
}

void ObservationLink::PutBack() {
  auto* observations = outstanding_->mutable_observations();
  for (int i = observations->size() - 1; i >= 0; --i) waiting_.push_front(std::move((*observations)[i]));
  outstanding_.reset();
}

void ObservationLink::GiveUp() {
  for (const HealthObservation& observation : outstanding_->observations()) {
    held_.erase(observation.task_id());
    Lose(observation, ObservationLoss::kRefused);
  }
  outstanding_.reset();
}

void ObservationLink::Lose(const HealthObservation& observation, ObservationLoss loss) {
  context_.observer.OnObservationLost(observation.task_id(), loss);
}

}  // namespace holdfast::client
