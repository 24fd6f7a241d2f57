#include "client/worker_client.h"

#include <algorithm>
#include <utility>

#include "client/registration.h"

namespace holdfast::client {

namespace wire = controlplane::v1;
using session::SessionAction;
using session::SessionEvent;
using session::SessionEventKind;
using wire::RegisterWorkerRequest;
using wire::RegisterWorkerResponse;

WorkerClient::WorkerClient(WorkerSettings settings, std::shared_ptr<Scheduler> scheduler,
                           std::unique_ptr<WorkerTransport> transport, WorkerObserver& observer, RandomSource& random)
    : random_(random),
      context_(std::move(settings), std::move(scheduler), std::move(transport), observer),
      session_(context_.settings.backoff, GeneratorFrom(random), context_.scheduler,
               {.on_state = [this](LifecycleState state) { context_.observer.OnState(state); },
                .carry_out = [this](SessionAction action) { Do(action); }}),
      instance_id_(RandomId(random)) {
  context_.random = GeneratorFrom(random);
  context_.tell = [this](const SessionEvent& event) { session_.Tell(event); };
  context_.tell_refused = [this](SessionEventKind kind, const CallResult& result) {
    session_.TellRefused(kind, result);
  };
}

WorkerClient::~WorkerClient() { context_.scheduler->Cancel(cut_timer_); }

void WorkerClient::Start() { session_.Tell({.kind = SessionEventKind::kStart}); }

void WorkerClient::Drain(Duration bound) {
  context_.leaving = true;
  session_.Tell({.kind = SessionEventKind::kDrainRequested, .drain_bound = bound});
}

void WorkerClient::Stop() { session_.Tell({.kind = SessionEventKind::kStop}); }

void WorkerClient::PushOutcome(wire::Outcome outcome) {
  context_.outcomes.Push(std::move(outcome));
  if (context_.outcomes.size() < context_.settings.outcome_batch || flush_posted_.exchange(true)) return;
  context_.scheduler->Post([this, alive = std::weak_ptr(alive_)] {
    if (!alive.lock()) return;
    flush_posted_.store(false);
    if (outcomes_) outcomes_->Flush();
  });
}

void WorkerClient::Do(SessionAction action) {
  switch (action) {
    case SessionAction::kRegister:
      Register();
      break;
    case SessionAction::kBeginSession:
      BeginSession();
      break;
    case SessionAction::kStopNewWork:
      context_.gate.Shut();
      break;
    case SessionAction::kReportDrain:
      if (control_) control_->ReportNow();
      break;
    case SessionAction::kEndSession:
      EndSession();
      break;
    case SessionAction::kFinished:
      context_.observer.OnFinished(session_.end(), session_.last_words());
      break;
  }
}

RegisterWorkerRequest WorkerClient::MakeRegistration() {
  const WorkerSettings& settings = context_.settings;
  RegisterWorkerRequest request;
  request.set_worker_id(settings.worker_id);
  request.set_instance_id(instance_id_);
  request.set_zone(settings.zone);
  request.set_supported_protocol_version(kProtocolVersion);
  request.set_min_protocol_version(kProtocolVersion);
  if (settings.weight) request.set_weight(*settings.weight);
  if (settings.max_proxies) request.set_max_proxies(*settings.max_proxies);
  if (settings.takes_deltas) request.add_capabilities(wire::WORKER_CAPABILITY_DELTA);
  if (settings.resolves_secret_refs) request.add_capabilities(wire::WORKER_CAPABILITY_SECRET_REF);
  for (const auto& [key, value] : settings.labels) (*request.mutable_labels())[key] = value;
  request.set_max_message_bytes(settings.max_message_bytes);
  request.set_reconnect_attempt(session_.reconnect_attempt());
  request.set_last_log_id(last_log_id_);
  request.set_last_ownership_epoch(context_.high_water.ownership_epoch);
  request.set_last_version(context_.high_water.version);
  request.set_software_version(settings.software_version);
  request.set_previous_session_id(previous_session_id_);
  request.set_registration_id(registration_id_);
  return request;
}

void WorkerClient::Register() {
  if (registration_id_.empty()) registration_id_ = RandomId(random_);
  const RegisterWorkerRequest request = MakeRegistration();
  const BootTime sent_at = context_.scheduler->Now();
  Done<RegisterWorkerResponse> done = [this, request, sent_at, alive = std::weak_ptr(alive_)](const CallResult& result,
                                                                                              const auto& response) {
    if (alive.lock()) OnRegistered(request, result, response, sent_at);
  };
  context_.transport->Reconnect();
  context_.transport->Register(request, context_.settings.register_deadline,
                               context_.Recorded(CallName::kRegister, request, std::move(done)));
}

void WorkerClient::OnRegistered(const RegisterWorkerRequest& request, const CallResult& result,
                                const RegisterWorkerResponse& response, BootTime sent_at) {
  if (session_.state() != LifecycleState::kConnecting) return;
  if (!result.ok()) {
    session_.TellRegistrationFailed(result);
    return;
  }
  auto session = SessionFrom(response, sent_at);
  if (const auto* problem = std::get_if<std::string>(&session)) {
    session_.TellRegistrationMakesNoSense(*problem);
    return;
  }
  registration_id_.clear();
  previous_session_id_ = response.session_id();
  last_log_id_ = response.log_id();
  last_outcome_sequence_ = response.last_outcome_sequence();
  context_.session = std::get<WorkerSession>(std::move(session));
  if (context_.settings.report_interval) context_.session->report_interval = *context_.settings.report_interval;
  context_.observer.OnRegistered(request, response);
  session_.Tell({.kind = SessionEventKind::kRegistered, .session_ttl = context_.session->session_ttl});
}

void WorkerClient::BeginSession() {
  snapshots_ = std::make_unique<SnapshotLink>(
      context_,
      SnapshotLink::Answers{.accept = [this](const SnapshotView& view) { control_->Accept(view); },
                            .refuse = [this](const UpdateRefused& refused) { control_->Refuse(refused); }},
      [this] { OnTaken(); });
  control_ = std::make_unique<ControlLink>(context_,
                                           ControlLink::Events{.watch_again = [this] { snapshots_->WatchAgain(); },
                                                               .acknowledged = [this] { snapshots_->Acknowledged(); }});
  outcomes_ = std::make_unique<OutcomeLink>(context_, last_outcome_sequence_);
  control_->Open();
  outcomes_->Open();
  snapshots_->Open();
}

void WorkerClient::OnTaken() {
  // A gate that an earlier session's drain has shut opens with the first view of a session that may take work.
  if (!context_.leaving && session_.state() != LifecycleState::kDraining) context_.gate.Open();
  ArmCutTimer();
}

void WorkerClient::EndSession() {
  if (!snapshots_) return;
  snapshots_->Close();
  control_->Close();
  outcomes_->Close();
  context_.session.reset();
  // One of them may be the one that is speaking: they are destroyed by a task of their own.
  ended_.push_back({std::move(snapshots_), std::move(control_), std::move(outcomes_)});
  context_.scheduler->Post([this, alive = std::weak_ptr(alive_)] {
    if (alive.lock()) ended_.clear();
  });
}

Duration WorkerClient::CutMargin() const {
  if (!context_.session) return context_.settings.cut_margin;
  return std::min(context_.settings.cut_margin, context_.session->lapse_grace / 4);
}

void WorkerClient::ArmCutTimer() {
  context_.scheduler->Cancel(std::exchange(cut_timer_, 0));
  const std::optional<BootTime> next = context_.bounds.NextCut();
  if (!next || *next == BootTime::max()) return;
  cut_timer_ = context_.scheduler->RunAt(*next - CutMargin(), [this] {
    cut_timer_ = 0;
    Cut();
    ArmCutTimer();
  });
}

void WorkerClient::Cut() {
  const std::vector<std::string> due = context_.bounds.CutDue(context_.scheduler->Now() + CutMargin());
  std::vector<std::string> in_use;
  for (const std::string& proxy_id : due) {
    const Slot* slot = context_.slots.Find(proxy_id);
    if (slot && slot->Read().InUse()) in_use.push_back(proxy_id);
  }
  if (!in_use.empty()) context_.observer.OnCut(in_use);
}

}  // namespace holdfast::client
