#include "tests/simulation/checkers/session_checker.h"

#include <algorithm>
#include <set>

namespace holdfast::simulation {
namespace {

using controlplane::v1::SessionState;
using log::v1::Event;

std::string StateWord(SessionState state) {
  switch (state) {
    case controlplane::v1::SESSION_STATE_HANDSHAKING:
      return "handshaking";
    case controlplane::v1::SESSION_STATE_ACTIVE:
      return "active";
    case controlplane::v1::SESSION_STATE_DRAINING:
      return "draining";
    case controlplane::v1::SESSION_STATE_CLOSED:
      return "closed";
    default:
      return "none";
  }
}

const std::set<std::string>& AllowedEdges() {
  static const auto& edges = *new std::set<std::string>{
      "none to handshaking", "handshaking to active", "handshaking to closed", "active to draining", "active to closed",
      "draining to closed",  "closed to handshaking", "draining to draining" /* a sooner deadline */};
  return edges;
}

}  // namespace

void SessionChecker::Wrong(const Entry& entry, const std::string& what) {
  violations_.Add("sessions", "sequence " + std::to_string(entry.sequence) + ": " + what);
}

void SessionChecker::Before(const Entry& entry, const Event& event) {
  switch (event.event_case()) {
    case Event::kSessionOpened:
      return BeforeOpen(entry, event.session_opened());
    case Event::kSessionActivated:
      return Edge(entry, event.session_activated().worker(), controlplane::v1::SESSION_STATE_ACTIVE);
    case Event::kSessionDraining:
      return Edge(entry, event.session_draining().worker(), controlplane::v1::SESSION_STATE_DRAINING);
    case Event::kSessionClosed:
      return BeforeClose(entry, event.session_closed());
    case Event::kSnapshotIssued:
      return BeforeIssue(entry, event.snapshot_issued());
    case Event::kControllerStarted:
      return Excuse(event.controller_started().downtime());
    case Event::kHoldOffStarted:
      return Excuse(event.hold_off_started().stalled());
    default:
      BeforeClock(event);
      return Hear(entry, event);
  }
}

void SessionChecker::Edge(const Entry& entry, std::uint32_t key, SessionState to) {
  const ModelWorker* worker = model_.Worker(key);
  const std::string edge = StateWord(worker == nullptr ? controlplane::v1::SESSION_STATE_UNSPECIFIED : worker->state) +
                           " to " + StateWord(to);
  reached_.Count("session edge", edge);
  if (AllowedEdges().contains(edge)) return;
  Wrong(entry, "worker " + std::to_string(key) + " goes from " + edge + ", which is no edge of the lifecycle");
}

void SessionChecker::BeforeOpen(const Entry& entry, const log::v1::SessionOpened& opened) {
  Edge(entry, opened.worker(), controlplane::v1::SESSION_STATE_HANDSHAKING);
  if (!used_session_ids_.insert(opened.session_id()).second) {
    Wrong(entry, opened.worker_id() + ": session id " + opened.session_id() + " is used again");
  }
  silences_[opened.worker()] = {entry.at_us, 0, false};
  const ModelWorker* worker = model_.Worker(opened.worker());
  if (worker == nullptr) return;
  if (opened.epoch() < worker->epoch || (opened.new_instance() && opened.epoch() == worker->epoch)) {
    Wrong(entry,
          opened.worker_id() + ": epoch " + std::to_string(opened.epoch()) + " after " + std::to_string(worker->epoch));
  }
  if (opened.version_floor() < worker->last_version) Wrong(entry, opened.worker_id() + ": versions would come again");
}

void SessionChecker::BeforeClose(const Entry& entry, const log::v1::SessionClosed& closed) {
  Edge(entry, closed.worker(), controlplane::v1::SESSION_STATE_CLOSED);
  reached_.Count("close reason", admin::v1::CloseReason_Name(closed.reason()));
  if (closed.reason() != admin::v1::CLOSE_REASON_EXPIRED) return;
  const Silence& silence = silences_[closed.worker()];
  const log::v1::Settings& settings = model_.settings();
  const std::int64_t bound =
      silence.recovered ? std::max(settings.session_ttl(), settings.recovery_hold_off()) : settings.session_ttl();
  const std::int64_t expiry = silence.heard_at + silence.excused + bound;
  if (entry.at_us < expiry) {
    Wrong(entry, "session " + closed.session_id() + " expires " + std::to_string(expiry - entry.at_us) +
                     " µs early: heard at " + std::to_string(silence.heard_at) + ", excused " +
                     std::to_string(silence.excused) + " µs" + (silence.recovered ? ", over a recovery" : ""));
  }
}

void SessionChecker::BeforeIssue(const Entry& entry, const log::v1::SnapshotIssued& issued) {
  const ModelWorker* worker = model_.Worker(issued.worker());
  if (worker == nullptr) return;
  if (issued.version() != worker->last_version + 1) {
    Wrong(entry, worker->worker_id + ": version " + std::to_string(issued.version()) + " after " +
                     std::to_string(worker->last_version));
  }
  if (issued.epoch() != worker->epoch) Wrong(entry, worker->worker_id + ": an update under another epoch");
  if (issued.base() != 0 && issued.base() != worker->accepted) {
    Wrong(entry, worker->worker_id + ": a delta on " + std::to_string(issued.base()) + ", accepted is " +
                     std::to_string(worker->accepted));
  }
  if (worker->stream == 0) Wrong(entry, worker->worker_id + ": an update without a stream");
}

void SessionChecker::Hear(const Entry& entry, const Event& event) {
  std::uint32_t worker = 0;
  if (event.has_session_heard()) worker = event.session_heard().worker();
  if (event.has_snapshot_acknowledged()) worker = event.snapshot_acknowledged().worker();
  if (event.has_snapshot_refused()) worker = event.snapshot_refused().worker();
  if (event.has_runtime_accepted()) worker = event.runtime_accepted().worker();
  if (worker != 0) silences_[worker] = {entry.at_us, 0, false};
}

void SessionChecker::Excuse(std::int64_t excused) {
  for (auto& [worker, silence] : silences_) {
    silence.excused += excused;
    silence.recovered = true;
  }
}

void SessionChecker::BeforeClock(const log::v1::Event& event) {
  if (!event.has_clock_accepted()) return;
  for (auto& [worker, silence] : silences_) silence.excused += event.clock_accepted().moved();
}

}  // namespace holdfast::simulation
