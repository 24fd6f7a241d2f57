#include "tests/simulation/world/checker_process.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace holdfast::simulation {
namespace {

using controlplane::v1::RegisterCheckerRequest;
using controlplane::v1::RegisterCheckerResponse;

constexpr Micros kRegisterDeadline = 10 * kSecond;
constexpr Micros kLongestLeave = 90 * kSecond;
constexpr Micros kStable = 20 * kSecond;
constexpr Micros kLeastPatience = 8 * kSecond, kMostPatience = 40 * kSecond;  // without a task

Micros LengthOf(const google::protobuf::Duration& duration) {
  return duration.seconds() * kSecond + duration.nanos() / 1'000;
}

}  // namespace

CheckerProcess::CheckerProcess(World& world, Network& network, Controller& controller, const MachineClock& clock,
                               const CheckerIdentity& identity, std::string instance_id)
    : Process(world, network, controller, clock, identity.checker_id + "/" + instance_id),
      identity_(identity),
      instance_id_(std::move(instance_id)) {}

void CheckerProcess::Die() {
  if (alive()) End();
}

void CheckerProcess::Leave() {
  leaving_ = true;
  Later(kLongestLeave, [this] { Die(); });
}

void CheckerProcess::BeWrong(Trouble trouble, Micros length) {
  trouble_ = trouble;
  trouble_until_ = world_.time.now() + length;
}

void CheckerProcess::EndFaults() {
  trouble_ = Trouble::kNone;
  identity_.has_judge = true;
  deaf_until_ = std::min(deaf_until_, world_.time.now());
  EndPauseAndCut();
}

// ---- sessions ------------------------------------------------------------------------------------------------------

void CheckerProcess::Register() {
  if (registering_) return;
  registering_ = true;
  log::v1::Input input;
  RegisterCheckerRequest& request = *input.mutable_register_checker()->mutable_request();
  request.set_checker_id(identity_.checker_id);
  request.set_instance_id(instance_id_);
  request.set_zone(identity_.zone);
  request.set_supported_protocol_version(1);
  request.set_max_concurrency(identity_.max_concurrency);
  for (const controlplane::v1::CheckLevel level : identity_.levels) request.add_levels(level);
  if (identity_.resolves_secrets) request.add_capabilities(controlplane::v1::CHECKER_CAPABILITY_SECRET_REF);
  request.set_reconnect_attempt(static_cast<std::uint32_t>(failures_));
  Call(input, kRegisterDeadline, [this](const CallAnswer& answer) { Registered(answer); });
}

void CheckerProcess::Registered(const CallAnswer& answer) {
  registering_ = false;
  if (!answer.end.ok()) return Later(Backoff(), [this] { Register(); });
  OpenSession(std::get<RegisterCheckerResponse>(answer.reply));
}

void CheckerProcess::OpenSession(const RegisterCheckerResponse& response) {
  session_ = Session{response.session_id(), LengthOf(response.session_ttl()), LengthOf(response.report_interval()),
                     response.max_batch(), world_.time.now()};
  ++session_serial_;
  last_success_boot_ = BootNow();
  report_sequence_ = 0;
  report_in_flight_ = false;
  unanswered_.reset();
  // One forgets what it was doing; another goes on, and reports in a session that knows nothing of it.
  if (world_.random.Chance(1, 2)) {
    running_.clear();
    found_.clear();
  }
  Watch();
  Later(session_->report_interval, [this, serial = session_serial_] { ReportTick(serial); });
}

void CheckerProcess::LoseSession() {
  if (!session_) return;
  if (world_.time.now() - session_->opened_at > kStable) failures_ = 0;
  session_.reset();
  ++session_serial_;
  stream_open_ = false;
  report_in_flight_ = false;
  if (leaving_) return Die();
  Later(Backoff(), [this] { Register(); });
}

void CheckerProcess::React(const CallEnd& end) {
  if (!end.detail) return;
  switch (end.detail->reason()) {
    case controlplane::v1::REJECT_REASON_SESSION_UNKNOWN:
    case controlplane::v1::REJECT_REASON_SESSION_SUPERSEDED:
    case controlplane::v1::REJECT_REASON_SESSION_EXPIRED:
    case controlplane::v1::REJECT_REASON_SESSION_CLOSED:
      return LoseSession();
    case controlplane::v1::REJECT_REASON_SEQUENCE_REGRESSED:
    case controlplane::v1::REJECT_REASON_SEQUENCE_CONFLICT:
      report_sequence_ += 100;  // somebody else used its numbers: it takes others
      return;
    default:
      return;
  }
}

// ---- its stream ----------------------------------------------------------------------------------------------------

void CheckerProcess::Watch() {
  if (!session_) return;
  const std::uint64_t before = stream_open_ ? stream_ : 0;
  const std::uint64_t stream = ++stream_;
  stream_open_ = true;
  stream_heard_ = false;
  IncomingCall call;
  auto& request = *call.input.mutable_watch_tasks()->mutable_request();
  request.set_checker_id(identity_.checker_id);
  request.set_session_id(session_->id);
  call.principal = "loopback";
  call.peer = name();
  call.watch = std::make_shared<WatchEnds>();
  call.watch->link = &link_;
  call.watch->handle = stream;
  call.watch->on_task = [this, stream](const controlplane::v1::TaskUpdate& update) {
    Run([this, stream, update] { OnTask(stream, update); });
  };
  call.watch->on_end = [this, stream](const CallEnd& end) { Run([this, stream, end] { OnStreamEnd(stream, end); }); };
  if (before != 0) network_.SendUp(link_, false, [this, before] { controller_.ClientGone(&link_, before); });
  network_.SendUp(link_, false, [this, call] { controller_.Arrive(call); });
  Later(world_.Between(kLeastPatience, kMostPatience), [this, stream] {
    if (stream == stream_ && stream_open_ && !stream_heard_) WatchAfter(0);
  });
}

void CheckerProcess::WatchAfter(Micros wait) {
  if (watch_scheduled_ == session_serial_) return;
  watch_scheduled_ = session_serial_;
  Later(wait, [this, serial = session_serial_] {
    if (serial != session_serial_) return;
    watch_scheduled_ = 0;
    Watch();
  });
}

void CheckerProcess::OnStreamEnd(std::uint64_t stream, const CallEnd& end) {
  if (stream != stream_ || !session_ || !stream_open_) return;
  stream_open_ = false;
  React(end);
  if (session_) WatchAfter(world_.Between(500 * kMillisecond, 2 * kSecond));
}

}  // namespace holdfast::simulation
