#include "tools/fleet/checker_process.h"

#include <iostream>
#include <utility>

#include "client/grpc_checker_transport.h"
#include "tools/fleet/faulty_checker_transport.h"

namespace holdfast::fleet {

namespace wire = controlplane::v1;
using client::ObservationLoss;
using client::TaskFate;

namespace {

constexpr int kSlowFactor = 10;

client::CheckerSettings SettingsFor(const FleetOptions& options, const std::string& checker_id) {
  client::CheckerSettings settings;
  settings.checker_id = checker_id;
  settings.max_concurrency = options.checks.concurrency;
  settings.levels = options.checks.levels;
  settings.resolves_secret_refs = true;
  settings.software_version = "holdfast-fleet";
  settings.report_interval = options.report_interval;
  return settings;
}

void SetFailure(wire::HealthObservation& observation, wire::OutcomePhase phase, wire::OutcomeError error) {
  observation.set_verdict(wire::VERDICT_FAIL);
  observation.set_phase(phase);
  observation.set_error(error);
}

}  // namespace

wire::HealthObservation ObservationOf(const ProxyTruth& truth, const wire::CheckTask& task, std::int64_t at_us) {
  wire::HealthObservation observation;
  observation.set_task_id(task.task_id());
  const std::string& proxy_id = task.proxy_id();
  if (!ProxyTruth::Knows(proxy_id)) {
    observation.set_verdict(wire::VERDICT_INCONCLUSIVE);
    return observation;
  }
  if (!truth.Passes(proxy_id, wire::CHECK_LEVEL_BASIC, "", at_us)) {
    const bool refuses = truth.Refuses(proxy_id);
    SetFailure(observation, wire::OUTCOME_PHASE_DIAL,
               refuses ? wire::OUTCOME_ERROR_REFUSED : wire::OUTCOME_ERROR_TIMEOUT);
    return observation;
  }
  if (!truth.Passes(proxy_id, task.level(), task.routing_id(), at_us)) {
    SetFailure(observation, wire::OUTCOME_PHASE_RESPONSE_HEADERS, wire::OUTCOME_ERROR_TIMEOUT);
    return observation;
  }
  const bool basic = task.level() == wire::CHECK_LEVEL_BASIC;
  observation.set_verdict(wire::VERDICT_PASS);
  observation.set_phase(basic ? wire::OUTCOME_PHASE_PROXY_HANDSHAKE : wire::OUTCOME_PHASE_RESPONSE_HEADERS);
  observation.set_error(wire::OUTCOME_ERROR_NONE);
  if (!basic) observation.set_http_status(200);
  if (task.level() == wire::CHECK_LEVEL_EGRESS) {
    observation.set_egress_ip(truth.EgressAddress(proxy_id));
    observation.set_anonymity(wire::ANONYMITY_ELITE);
  }
  return observation;
}

CheckerProcess::CheckerProcess(CheckerEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler,
                               std::size_t number, const std::string& checker_id, std::uint64_t seed)
    : environment_(environment),
      scheduler_(std::move(scheduler)),
      checker_id_(checker_id),
      prng_(seed),
      faults_(scheduler_) {
  auto grpc_transport = std::make_unique<client::GrpcCheckerTransport>(
      scheduler_, [&environment, number] { return environment.channels.Get(number); });
  auto transport = std::make_unique<FaultyCheckerTransport>(
      faults_, std::move(grpc_transport),
      [this](const wire::CheckTask& task) { environment_.excuse(task.proxy_id()); });
  client_ = std::make_unique<client::CheckerClient>(SettingsFor(environment.options, checker_id), scheduler_,
                                                    std::move(transport), *this, *this, environment.random);
}

CheckerProcess::~CheckerProcess() {
  for (const auto& [task_id, timer] : running_) scheduler_->Cancel(timer);
  for (const auto& [task_id, proxy_id] : owed_) environment_.excuse(proxy_id);
  environment_.statistics.CountState(last_state_, LifecycleState::kClosed);
}

void CheckerProcess::Drain(Duration bound, std::function<void()> done) {
  if (finished_) return done();
  on_finished_ = std::move(done);
  client_->Drain(bound);
}

Duration CheckerProcess::LengthOf(const wire::CheckTask& task) {
  const Duration timeout = client::DurationFrom(task.timeout()).value_or(Duration::zero());
  if (pace_ == CheckPace::kLate) return timeout * prng_.Between(90, 130) / 100;
  const bool dead = ProxyTruth::Knows(task.proxy_id()) &&
                    !environment_.truth.Passes(task.proxy_id(), wire::CHECK_LEVEL_BASIC, "", SinceBeginUs());
  if (dead && !environment_.truth.Refuses(task.proxy_id())) return timeout * 9 / 10;
  const Duration usual(environment_.truth.LatencyUs(task.proxy_id()));
  return pace_ == CheckPace::kSlow ? usual * kSlowFactor : usual;
}

void CheckerProcess::Run(const wire::CheckTask& task) {
  const bool late = pace_ == CheckPace::kLate;
  const auto timer = scheduler_->RunAt(scheduler_->Now() + LengthOf(task), [this, task, alive = std::weak_ptr(alive_)] {
    if (alive.lock()) Finish(task);
  });
  if (!late) running_[task.task_id()] = timer;
}

void CheckerProcess::Cancel(const std::string& task_id) {
  const auto found = running_.find(task_id);
  if (found == running_.end()) return;
  scheduler_->Cancel(found->second);
  running_.erase(found);
}

void CheckerProcess::Finish(const wire::CheckTask& task) {
  running_.erase(task.task_id());
  wire::HealthObservation observation = ObservationOf(environment_.truth, task, SinceBeginUs());
  const std::int64_t latency_us = environment_.truth.LatencyUs(task.proxy_id());
  observation.mutable_latency()->set_nanos(static_cast<std::int32_t>(latency_us) * 1'000);
  environment_.statistics.CountVerdict(observation.verdict());
  client_->Report(std::move(observation));
}

void CheckerProcess::LetDown(const std::string& task_id) {
  const auto found = owed_.find(task_id);
  if (found == owed_.end()) return;
  environment_.excuse(found->second);
  owed_.erase(found);
}

void CheckerProcess::OnState(LifecycleState state) {
  environment_.statistics.CountState(last_state_, state);
  last_state_ = state;
}

void CheckerProcess::OnUpdate(const wire::TaskUpdate& update) {
  if (update.has_task()) owed_.emplace(update.task().task_id(), update.task().proxy_id());
}

void CheckerProcess::OnTask(const std::string& task_id, TaskFate fate) {
  environment_.statistics.CountTask(fate);
  switch (fate) {
    case TaskFate::kInconclusive:
      environment_.statistics.CountVerdict(wire::VERDICT_INCONCLUSIVE);
      LetDown(task_id);
      break;
    case TaskFate::kNotTaken:
    case TaskFate::kTimedOut:
    case TaskFate::kSessionOver:
      LetDown(task_id);
      break;
    case TaskFate::kCancelled:
      owed_.erase(task_id);
      break;
    case TaskFate::kStarted:
    case TaskFate::kQueued:
    case TaskFate::kAnswered:
    case TaskFate::kRepeated:
      break;
  }
}

void CheckerProcess::OnReport(const wire::ReportObservationsRequest& request,
                              const wire::ReportObservationsResponse& response) {
  environment_.statistics.CountAccepted(static_cast<std::uint64_t>(request.observations_size()));
  // Late by a fault of its own; without any, the controller has lost the task and is held to account.
  if (environment_.options.faults != Faults::kNone) {
    for (const std::string& task_id : response.unknown_task_ids()) LetDown(task_id);
  }
  for (const wire::HealthObservation& observation : request.observations()) owed_.erase(observation.task_id());
}

void CheckerProcess::OnObservationLost(const std::string& task_id, ObservationLoss loss) {
  environment_.statistics.CountLost(loss);
  if (loss == ObservationLoss::kSessionOver || loss == ObservationLoss::kRefused) LetDown(task_id);
}

void CheckerProcess::OnFinished(session::SessionEnd end, const std::string& why) {
  if (end == session::SessionEnd::kRefusedForGood) {
    std::cerr << "holdfast-fleet: " << checker_id_ << " is refused for good: " << why << "\n";
  }
  finished_ = true;
  if (on_finished_) std::exchange(on_finished_, nullptr)();
}

}  // namespace holdfast::fleet
