#include "client/outcome_link.h"

#include <algorithm>
#include <utility>

#include "client/session_hints.h"

namespace holdfast::client {

namespace wire = controlplane::v1;
using session::SessionEventKind;
using wire::ReportOutcomesRequest;
using wire::ReportOutcomesResponse;

OutcomeLink::OutcomeLink(WorkerContext& context, std::uint64_t last_accepted)
    : context_(context),
      backoff_(context.settings.backoff, context.random),
      batch_limit_(std::max(1U, std::min(context.settings.outcome_batch, context.session->max_batch))) {
  OutcomeMemory& memory = context_.outcome_memory;
  // The answer to it was lost; the controller has it.
  if (memory.unanswered && memory.unanswered->sequence() <= last_accepted) memory.unanswered.reset();
  memory.last_sequence = std::max(memory.last_sequence, last_accepted);
  context_.outcomes.ResetDropped();
}

OutcomeLink::~OutcomeLink() { Close(); }

void OutcomeLink::Open() { ScheduleFlush(context_.settings.outcome_interval); }

void OutcomeLink::Close() {
  closed_ = true;
  context_.scheduler->Cancel(std::exchange(timer_, 0));
}

void OutcomeLink::ScheduleFlush(Duration delay) {
  context_.scheduler->Cancel(timer_);
  timer_ = context_.scheduler->RunAt(context_.scheduler->Now() + delay, [this] {
    timer_ = 0;
    waiting_ = false;
    Flush();
    if (!closed_ && timer_ == 0) ScheduleFlush(context_.settings.outcome_interval);
  });
}

void OutcomeLink::Flush() {
  if (closed_ || in_flight_ || waiting_) return;
  if (context_.outcome_memory.unanswered || MakeBatch()) Send();
}

bool OutcomeLink::MakeBatch() {
  std::vector<wire::Outcome> outcomes = context_.outcomes.Take(batch_limit_);
  if (outcomes.empty()) return false;
  ReportOutcomesRequest request;
  request.set_sequence(++context_.outcome_memory.last_sequence);
  for (wire::Outcome& outcome : outcomes) *request.add_outcomes() = std::move(outcome);
  context_.outcome_memory.unanswered = std::move(request);
  return true;
}

void OutcomeLink::Send() {
  in_flight_ = true;
  ReportOutcomesRequest& request = *context_.outcome_memory.unanswered;
  request.set_worker_id(context_.settings.worker_id);
  request.set_session_id(context_.session->id);
  request.set_ownership_epoch(context_.session->ownership_epoch);
  request.set_dropped_total(context_.outcomes.dropped());
  Done<ReportOutcomesResponse> done = [this, sent = request, alive = std::weak_ptr(alive_)](const CallResult& result,
                                                                                            const auto& response) {
    if (!alive.lock() || closed_) return;
    in_flight_ = false;
    OnAnswer(sent, result, response);
  };
  context_.transport->ReportOutcomes(request, context_.settings.call_deadline,
                                     context_.Recorded(CallName::kOutcomes, request, std::move(done)));
}

void OutcomeLink::OnAnswer(const ReportOutcomesRequest& request, const CallResult& result,
                           const ReportOutcomesResponse& response) {
  if (!result.ok()) {
    OnRefused(result);
    return;
  }
  OutcomeMemory& memory = context_.outcome_memory;
  memory.unanswered.reset();
  memory.last_sequence = std::max(memory.last_sequence, response.accepted_sequence());
  context_.observer.OnOutcomes(request, response);
  context_.tell({.kind = SessionEventKind::kCallSucceeded});
  if (const auto hint = HintOf(response.session_state())) context_.tell({.kind = *hint});
  if (context_.outcomes.size() >= batch_limit_) Flush();
}

void OutcomeLink::OnRefused(const CallResult& result) {
  const Reaction reaction = ReactionTo(result);
  if (const auto hint = HintOf(reaction)) return context_.tell_refused(*hint, result);
  switch (reaction) {
    case Reaction::kWait:
    case Reaction::kRetry:
      waiting_ = true;
      ScheduleFlush(std::max(backoff_.NextDelay(), RetryAfter(result).value_or(Duration::zero())));
      return;
    case Reaction::kSendLess:
      batch_limit_ = std::max(1U, batch_limit_ / 2);
      break;
    default:
      break;
  }
  // The batch itself is refused: it is given up, the next one has a new number.
  context_.outcome_memory.unanswered.reset();
}

}  // namespace holdfast::client
