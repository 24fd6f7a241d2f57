// Tasks of a simulated checker, what it finds, and how it reports that.

#include <algorithm>
#include <utility>

#include "controller/proto_time.h"
#include "tests/simulation/world/checker_process.h"

namespace holdfast::simulation {
namespace {

using controlplane::v1::CheckTask;
using controlplane::v1::HealthObservation;
using controlplane::v1::ReportObservationsRequest;
using controlplane::v1::ReportObservationsResponse;
using controlplane::v1::TaskUpdate;

// Where a check that fails ends, by its level.
void PutFailure(Prng& random, HealthObservation& seen) {
  switch (seen.level()) {
    case controlplane::v1::CHECK_LEVEL_BASIC:
      seen.set_phase(random.Chance(1, 3) ? controlplane::v1::OUTCOME_PHASE_PROXY_HANDSHAKE
                                         : controlplane::v1::OUTCOME_PHASE_DIAL);
      seen.set_error(controlplane::v1::OUTCOME_ERROR_REFUSED);
      return;
    case controlplane::v1::CHECK_LEVEL_TARGET:
      seen.set_phase(controlplane::v1::OUTCOME_PHASE_RESPONSE_HEADERS);
      seen.set_error(controlplane::v1::OUTCOME_ERROR_RESET);
      seen.set_http_status(random.Chance(1, 2) ? 503 : 0);
      return;
    default:
      seen.set_phase(controlplane::v1::OUTCOME_PHASE_TUNNEL);
      seen.set_error(controlplane::v1::OUTCOME_ERROR_TIMEOUT);
  }
}

}  // namespace

void CheckerProcess::OnTask(std::uint64_t stream, const TaskUpdate& update) {
  if (deaf_until_ > world_.time.now()) {
    world_.time.At(deaf_until_, [this, stream, update] { Run([this, stream, update] { OnTask(stream, update); }); });
    return;
  }
  if (stream != stream_ || !session_ || !stream_open_) return;
  stream_heard_ = true;
  if (update.has_task()) Begin(update.task());
  if (update.has_cancel()) running_.erase(update.cancel().task_id());
  // Of a drain it hears that nothing new comes, and finishes what it has.
}

void CheckerProcess::Begin(const CheckTask& task) {
  running_[task.task_id()] = task;
  const Micros timeout = ReadDuration(task.timeout()).value_or(Duration(0)).count();
  if (world_.faults.Strikes(Fault::kTaskForgotten)) return;
  Micros length = world_.Between(10 * kMillisecond, 1'200 * kMillisecond);
  if (world_.random.Chance(1, 20)) length = timeout;
  if (world_.faults.Strikes(Fault::kTaskSlow)) length = timeout + world_.Between(2 * kSecond, 9 * kSecond);
  Later(length, [this, task_id = task.task_id()] { Finish(task_id); });
}

void CheckerProcess::Finish(const std::string& task_id) {
  const auto task = running_.find(task_id);
  if (task == running_.end()) return;  // cancelled, or forgotten with its session
  found_.push_back(Find(task->second));
  running_.erase(task);
  if (world_.random.Chance(1, 3)) SendReport();
}

HealthObservation CheckerProcess::Find(const CheckTask& task) {
  HealthObservation seen;
  seen.set_task_id(task.task_id());
  seen.set_proxy_id(task.proxy_id());
  seen.set_level(task.level());
  seen.set_routing_id(task.routing_id());
  PutDuration(Duration(world_.Between(kMillisecond, kSecond)), seen.mutable_latency());
  const bool egress = task.level() == controlplane::v1::CHECK_LEVEL_EGRESS;
  const bool blind = trouble() == Trouble::kBlind || (egress && !identity_.has_judge);
  if (blind || world_.random.Chance(1, 50)) {
    seen.set_verdict(controlplane::v1::VERDICT_INCONCLUSIVE);
    return seen;
  }
  const bool asks = egress && identity_.knows_anonymity;
  bool passes = world_.truth.Passes(task.endpoint(), task.level(), task.routing_id(),
                                    asks ? task.min_anonymity() : controlplane::v1::ANONYMITY_UNSPECIFIED);
  if (trouble() == Trouble::kLies) passes = !passes;
  if (trouble() == Trouble::kUplinkBroken) passes = false;
  seen.set_verdict(passes ? controlplane::v1::VERDICT_PASS : controlplane::v1::VERDICT_FAIL);
  seen.set_error(controlplane::v1::OUTCOME_ERROR_NONE);
  if (!passes) PutFailure(world_.random, seen);
  const TrueHealth& health = world_.truth.Of(task.endpoint());
  if (egress && health.alive && health.answers && trouble() == Trouble::kNone) {
    seen.set_anonymity(health.anonymity);
    seen.set_egress_ip("203.0.113.7");
  } else if (egress && passes) {
    seen.set_anonymity(controlplane::v1::ANONYMITY_ELITE);
  }
  return seen;
}

void CheckerProcess::ReportTick(std::uint64_t session_serial) {
  if (session_serial != session_serial_ || !session_) return;
  // Nothing has come back for session_ttl: the session is given up.
  if (BootNow() - last_success_boot_ > session_->ttl) return LoseSession();
  const bool silent = world_.time.now() - reported_at_ > session_->ttl / 4;
  if (silent || leaving_ || unanswered_ || !found_.empty()) SendReport();
  Later(session_->report_interval, [this, session_serial] { ReportTick(session_serial); });
}

void CheckerProcess::SendReport() {
  if (!session_ || report_in_flight_) return;
  ReportObservationsRequest request;
  // The same again: its answer may have been lost. Or all of it under a new number, of which then nothing may count.
  const bool again = unanswered_ && world_.random.Chance(2, 3);
  if (unanswered_) request = *unanswered_;
  if (!again) {
    request.set_checker_id(identity_.checker_id);
    request.set_session_id(session_->id);
    request.set_sequence(++report_sequence_);
    request.set_draining(leaving_);
    request.set_running(static_cast<std::uint32_t>(running_.size()));
    while (!found_.empty() && request.observations_size() < static_cast<int>(session_->max_batch)) {
      *request.add_observations() = std::move(found_.front());
      found_.erase(found_.begin());
    }
  }
  unanswered_ = request;
  report_in_flight_ = true;
  reported_at_ = world_.time.now();
  log::v1::Input input;
  *input.mutable_report_observations()->mutable_request() = request;
  Call(input, kCallDeadline, [this, request, serial = session_serial_](const CallAnswer& answer) {
    if (answer.end.ok()) {
      world_.checkers.tasks().Answered(request, std::get<ReportObservationsResponse>(answer.reply));
    }
    if (serial == session_serial_) Reported(request, answer);
  });
}

void CheckerProcess::Reported(const ReportObservationsRequest& request, const CallAnswer& answer) {
  report_in_flight_ = false;
  if (answer.end.ok()) {
    unanswered_.reset();
    last_success_boot_ = BootNow();
    const auto& response = std::get<ReportObservationsResponse>(answer.reply);
    if (response.session_state() == controlplane::v1::SESSION_STATE_CLOSED) LoseSession();
    return;
  }
  if (!answer.end.detail) return;  // no answer: it may or may not have been heard
  last_success_boot_ = BootNow();  // it was heard, though it was refused
  if (answer.end.detail->reason() == controlplane::v1::REJECT_REASON_OVERLOADED) return;
  unanswered_.reset();
  found_.insert(found_.begin(), request.observations().begin(), request.observations().end());
  React(answer.end);
}

}  // namespace holdfast::simulation
