#include "client/checker_client.h"

#include <algorithm>
#include <utility>

#include "client/registration.h"

namespace holdfast::client {

namespace wire = controlplane::v1;
using session::SessionAction;
using session::SessionEvent;
using session::SessionEventKind;
using wire::RegisterCheckerRequest;
using wire::RegisterCheckerResponse;

namespace {

// Above zero, or nothing: a task whose end nobody can tell is not run.
std::optional<Duration> TimeoutOf(const wire::CheckTask& task) {
  const std::optional<Duration> timeout = DurationFrom(task.timeout());
  return timeout && *timeout > Duration::zero() ? timeout : std::nullopt;
}

// What an observation says of its task is the task's own, whatever the handler wrote there.
void NameTask(wire::HealthObservation& observation, const wire::CheckTask& task) {
  observation.set_task_id(task.task_id());
  observation.set_proxy_id(task.proxy_id());
  observation.set_level(task.level());
  observation.set_routing_id(task.routing_id());
}

}  // namespace

CheckerClient::CheckerClient(CheckerSettings settings, std::shared_ptr<Scheduler> scheduler,
                             std::unique_ptr<CheckerTransport> transport, CheckHandler& handler,
                             CheckerObserver& observer, RandomSource& random)
    : context_(std::move(settings), std::move(scheduler), std::move(transport), observer),
      session_(context_.settings.backoff, GeneratorFrom(random), context_.scheduler,
               {.on_state = [this](LifecycleState state) { context_.observer.OnState(state); },
                .carry_out = [this](SessionAction action) { Do(action); }}),
      instance_id_(RandomId(random)),
      tasks_(context_, handler) {
  context_.random = GeneratorFrom(random);
  context_.tell = [this](const SessionEvent& event) { session_.Tell(event); };
  context_.tell_refused = [this](SessionEventKind kind, const CallResult& result) {
    session_.TellRefused(kind, result);
  };
}

CheckerClient::~CheckerClient() = default;

void CheckerClient::Start() { session_.Tell({.kind = SessionEventKind::kStart}); }

void CheckerClient::Drain(Duration bound) {
  context_.leaving = true;
  session_.Tell({.kind = SessionEventKind::kDrainRequested, .drain_bound = bound});
}

void CheckerClient::Stop() { session_.Tell({.kind = SessionEventKind::kStop}); }

void CheckerClient::Report(wire::HealthObservation observation) {
  {
    const std::lock_guard lock(reported_mutex_);
    reported_.push_back(std::move(observation));
  }
  if (take_posted_.exchange(true)) return;
  context_.scheduler->Post([this, alive = std::weak_ptr(alive_)] {
    if (alive.lock()) TakeReported();
  });
}

void CheckerClient::TakeReported() {
  take_posted_.store(false);
  std::vector<wire::HealthObservation> reported;
  {
    const std::lock_guard lock(reported_mutex_);
    reported.swap(reported_);
  }
  for (wire::HealthObservation& observation : reported) {
    const auto task = tasks_.Answer(observation.task_id());
    if (!task || !observation_link_) {
      context_.observer.OnObservationLost(observation.task_id(), ObservationLoss::kNoTask);
      continue;
    }
    NameTask(observation, *task);
    observation_link_->Add(std::move(observation));
  }
  if (observation_link_) observation_link_->Send();
}

void CheckerClient::Do(SessionAction action) {
  switch (action) {
    case SessionAction::kRegister:
      Register();
      break;
    case SessionAction::kBeginSession:
      BeginSession();
      break;
    case SessionAction::kStopNewWork:
      break;  // TakeTask looks
    case SessionAction::kReportDrain:
      if (observation_link_) observation_link_->ReportNow();
      break;
    case SessionAction::kEndSession:
      EndSession();
      break;
    case SessionAction::kFinished:
      context_.observer.OnFinished(session_.end(), session_.last_words());
      break;
  }
}

RegisterCheckerRequest CheckerClient::MakeRegistration() const {
  const CheckerSettings& settings = context_.settings;
  RegisterCheckerRequest request;
  request.set_checker_id(settings.checker_id);
  request.set_instance_id(instance_id_);
  request.set_zone(settings.zone);
  request.set_supported_protocol_version(kProtocolVersion);
  request.set_min_protocol_version(kProtocolVersion);
  request.set_max_concurrency(settings.max_concurrency);
  for (const wire::CheckLevel level : settings.levels) request.add_levels(level);
  if (settings.resolves_secret_refs) request.add_capabilities(wire::CHECKER_CAPABILITY_SECRET_REF);
  for (const auto& [key, value] : settings.labels) (*request.mutable_labels())[key] = value;
  request.set_reconnect_attempt(session_.reconnect_attempt());
  request.set_software_version(settings.software_version);
  return request;
}

void CheckerClient::Register() {
  const RegisterCheckerRequest request = MakeRegistration();
  Done<RegisterCheckerResponse> done = [this, request, alive = std::weak_ptr(alive_)](const CallResult& result,
                                                                                      const auto& response) {
    if (alive.lock()) OnRegistered(request, result, response);
  };
  context_.transport->Reconnect();
  context_.transport->Register(request, context_.settings.register_deadline,
                               context_.Recorded(CallName::kRegister, request, std::move(done)));
}

void CheckerClient::OnRegistered(const RegisterCheckerRequest& request, const CallResult& result,
                                 const RegisterCheckerResponse& response) {
  if (session_.state() != LifecycleState::kConnecting) return;
  if (!result.ok()) {
    session_.TellRegistrationFailed(result);
    return;
  }
  auto session = SessionFrom(response);
  if (const auto* problem = std::get_if<std::string>(&session)) {
    session_.TellRegistrationMakesNoSense(*problem);
    return;
  }
  context_.session = std::get<SessionTerms>(std::move(session));
  if (context_.settings.report_interval) context_.session->report_interval = *context_.settings.report_interval;
  context_.observer.OnRegistered(request, response);
  session_.Tell({.kind = SessionEventKind::kRegistered, .session_ttl = context_.session->session_ttl});
}

void CheckerClient::BeginSession() {
  task_link_ = std::make_unique<TaskLink>(
      context_, TaskLink::Events{.task = [this](const wire::CheckTask& task) { TakeTask(task); },
                                 .cancel = [this](const std::string& task_id) { tasks_.Cancel(task_id); }});
  observation_link_ = std::make_unique<ObservationLink>(
      context_, ObservationLink::Events{.load =
                                            [this] {
                                              return ObservationLink::Load{tasks_.running(), tasks_.waiting()};
                                            },
                                        .attached = [this] { task_link_->Attached(); }});
  observation_link_->Open();
  task_link_->Open();
}

void CheckerClient::TakeTask(const wire::CheckTask& task) {
  const std::string& task_id = task.task_id();
  if (task_id.empty() || context_.leaving || session_.state() != LifecycleState::kActive) {
    return context_.observer.OnTask(task_id, TaskFate::kNotTaken);
  }
  if (tasks_.Holds(task_id) || observation_link_->Holds(task_id)) {
    return context_.observer.OnTask(task_id, TaskFate::kRepeated);
  }
  const std::vector<wire::CheckLevel>& levels = context_.settings.levels;
  const std::optional<Duration> timeout = TimeoutOf(task);
  if (!timeout || std::find(levels.begin(), levels.end(), task.level()) == levels.end()) {
    context_.observer.OnTask(task_id, TaskFate::kInconclusive);
    wire::HealthObservation observation;
    NameTask(observation, task);
    observation.set_verdict(wire::VERDICT_INCONCLUSIVE);
    observation_link_->Add(std::move(observation));
    return observation_link_->Send();
  }
  tasks_.Take(task, *timeout);
}

void CheckerClient::EndSession() {
  if (!task_link_) return;
  task_link_->Close();
  observation_link_->Close();
  tasks_.EndAll();
  context_.session.reset();
  // One of them may be the one that is speaking: they are destroyed by a task of their own.
  ended_.push_back({std::move(task_link_), std::move(observation_link_)});
  context_.scheduler->Post([this, alive = std::weak_ptr(alive_)] {
    if (alive.lock()) ended_.clear();
  });
}

}  // namespace holdfast::client
