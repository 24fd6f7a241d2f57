#include "tests/simulation/world/worker_process.h"

#include <algorithm>
#include <utility>

namespace holdfast::simulation {
namespace {

using controlplane::v1::RegisterWorkerRequest;
using controlplane::v1::RegisterWorkerResponse;

constexpr Micros kRegisterDeadline = 10 * kSecond;
constexpr Micros kLongestLeave = 90 * kSecond;
constexpr Micros kStable = 20 * kSecond;

Micros LengthOf(const google::protobuf::Duration& duration) {
  return duration.seconds() * kSecond + duration.nanos() / 1'000;
}

}  // namespace

std::int64_t WorkerProcess::TimeOf(const google::protobuf::Timestamp& time) {
  return time.seconds() * kSecond + time.nanos() / 1'000;
}

WorkerProcess::WorkerProcess(World& world, Network& network, Controller& controller, const MachineClock& clock,
                             const WorkerIdentity& identity, std::string name, std::string instance_id)
    : Process(world, network, controller, clock, identity.worker_id + "/" + name),
      identity_(identity),
      who_{WorkerId(identity.worker_id), InstanceId(std::move(name))},
      instance_id_(std::move(instance_id)),
      traffic_(world, clock, this->name(),
               [this](Micros delay, std::function<void()> what) { Later(delay, std::move(what)); }) {}

void WorkerProcess::Tell(judge::What what) { world_.checkers.judge().Hear({world_.time.now(), who_, std::move(what)}); }

// ---- life ----------------------------------------------------------------------------------------------------------

void WorkerProcess::Start() {
  Register();
  RequestTick();
}

void WorkerProcess::Die() {
  if (!alive()) return;
  traffic_.Die();
  Tell(judge::Died{});
  End();
}

void WorkerProcess::Leave() {
  leaving_ = true;
  traffic_.Stop();
  Later(kLongestLeave, [this] { Die(); });
}

void WorkerProcess::EndFaults() {
  mute_until_ = 0;
  EndPauseAndCut();
}

// ---- sessions ------------------------------------------------------------------------------------------------------

void WorkerProcess::Register() {
  if (registering_) return;
  registering_ = true;
  if (registration_id_.empty()) registration_id_ = who_.instance.value() + "-" + std::to_string(++registrations_);
  log::v1::Input input;
  RegisterWorkerRequest& request = *input.mutable_register_worker()->mutable_request();
  request.set_worker_id(identity_.worker_id);
  request.set_instance_id(instance_id_);
  request.set_zone(identity_.zone);
  request.set_supported_protocol_version(1);
  if (identity_.weight != 1) request.set_weight(identity_.weight);
  if (identity_.max_proxies > 0) request.set_max_proxies(identity_.max_proxies);
  if (identity_.takes_deltas) request.add_capabilities(controlplane::v1::WORKER_CAPABILITY_DELTA);
  if (identity_.resolves_secrets) request.add_capabilities(controlplane::v1::WORKER_CAPABILITY_SECRET_REF);
  request.set_max_message_bytes(identity_.max_message_bytes);
  request.set_reconnect_attempt(static_cast<std::uint32_t>(failures_));
  request.set_last_log_id(log_id_);
  request.set_last_ownership_epoch(last_epoch_);
  request.set_last_version(last_version_);
  request.set_previous_session_id(previous_session_id_);
  request.set_registration_id(registration_id_);
  const auto answered = [this, request, sent = BootNow(), sent_true = world_.time.now()](const CallAnswer& answer) {
    judge::RegisterAnswered told{request, {}, answer.end, sent_true};
    if (answer.end.ok()) told.response = std::get<RegisterWorkerResponse>(answer.reply);
    Tell(told);
    Registered(request, answer, sent);
  };
  // Each copy that arrives may open a session.
  Call(input, kRegisterDeadline, answered, [this, request] { Tell(judge::RegisterSent{request}); });
}

void WorkerProcess::Registered(const RegisterWorkerRequest&, const CallAnswer& answer, std::int64_t sent_boot) {
  registering_ = false;
  if (!answer.end.ok()) return Later(Backoff(), [this] { Register(); });  // under the same registration_id
  OpenSession(std::get<RegisterWorkerResponse>(answer.reply), sent_boot);
}

void WorkerProcess::OpenSession(const RegisterWorkerResponse& response, std::int64_t sent_boot) {
  registration_id_.clear();
  Session session;
  session.id = response.session_id();
  session.epoch = response.ownership_epoch();
  session.clock = std::make_shared<SessionClock>();
  session.ttl = LengthOf(response.session_ttl());
  session.report_interval = LengthOf(response.report_interval());
  session.lapse_grace_us = LengthOf(response.lapse_grace());
  session.opened_at = world_.time.now();
  session_ = session;
  ++session_serial_;
  previous_session_id_ = session.id;
  log_id_ = response.log_id();
  last_epoch_ = session.epoch;
  traffic_.SetStaleAge(LengthOf(response.max_stale_age()));
  if (!leaving_) traffic_.Go();
  control_in_flight_ = false;
  report_due_ = false;
  pending_ack_.reset();
  last_ack_.reset();
  report_sequence_ = 0;
  unanswered_report_.reset();
  outcomes_in_flight_ = false;
  outcome_sequence_ = std::max(outcome_sequence_, response.last_outcome_sequence());
  watch_from_nothing_ = true;
  HearTime(response, sent_boot);
  Watch();
  const std::uint64_t serial = session_serial_;
  Later(session.report_interval, [this, serial] { ReportTick(serial); });
  Later(world_.Between(kSecond, 4 * kSecond), [this, serial] { OutcomeTick(serial); });
}

// It is over: what came of it is kept to its end, and a new one is asked for with backoff.
void WorkerProcess::LoseSession() {
  if (!session_) return;
  if (world_.time.now() - session_->opened_at > kStable && last_ack_ && last_ack_->accepted) failures_ = 0;
  session_.reset();
  ++session_serial_;
  stream_open_ = false;
  control_in_flight_ = false;
  if (leaving_) return Die();
  Later(Backoff(), [this] { Register(); });
}

void WorkerProcess::React(const CallEnd& end) {
  if (!end.detail) return;
  switch (end.detail->reason()) {
    case controlplane::v1::REJECT_REASON_SESSION_UNKNOWN:
    case controlplane::v1::REJECT_REASON_SESSION_SUPERSEDED:
    case controlplane::v1::REJECT_REASON_SESSION_EXPIRED:
    case controlplane::v1::REJECT_REASON_SESSION_CLOSED:
    case controlplane::v1::REJECT_REASON_EPOCH_STALE:
    case controlplane::v1::REJECT_REASON_EPOCH_AHEAD:
      return LoseSession();
    case controlplane::v1::REJECT_REASON_REFERENCE_NOT_ISSUED:
    case controlplane::v1::REJECT_REASON_REFERENCE_SUPERSEDED:
    case controlplane::v1::REJECT_REASON_CHECKSUM_MISMATCH:
    case controlplane::v1::REJECT_REASON_SNAPSHOT_EXPIRED:
    case controlplane::v1::REJECT_REASON_RUNTIME_FENCED:
      return WatchLater();
    case controlplane::v1::REJECT_REASON_VERSION_NOT_ACKNOWLEDGED:
      if (!pending_ack_ && last_ack_ && last_ack_->accepted && view_ && last_ack_->version == view_->version) {
        pending_ack_ = last_ack_;
      }
      return;
    default:
      return;
  }
}

void WorkerProcess::OnSessionState(controlplane::v1::SessionState state) {
  if (state == controlplane::v1::SESSION_STATE_DRAINING) traffic_.Stop();
  if (state == controlplane::v1::SESSION_STATE_CLOSED) LoseSession();
}

}  // namespace holdfast::simulation
