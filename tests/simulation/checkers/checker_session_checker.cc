#include "tests/simulation/checkers/checker_session_checker.h"

#include <algorithm>

namespace holdfast::simulation {
namespace {

using controlplane::v1::SessionState;
using log::v1::Event;

std::string StateWord(const ModelChecker* checker) {
  switch (checker == nullptr ? controlplane::v1::SESSION_STATE_UNSPECIFIED : checker->state) {
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

void CheckerSessionChecker::Wrong(const Entry& entry, const std::string& what) {
  violations_.Add("checker sessions", "sequence " + std::to_string(entry.sequence) + ": " + what);
}

std::int64_t CheckerSessionChecker::EndOf(const Silence& silence) const {
  const log::v1::Settings& settings = model_.settings();
  const std::int64_t bound =
      silence.recovered ? std::max(settings.session_ttl(), settings.recovery_hold_off()) : settings.session_ttl();
  return silence.heard_at + silence.excused + bound;
}

void CheckerSessionChecker::BeforeEntry(const Entry& entry) {
  if (entry.input.input_case() < log::v1::Input::kRegisterWorker) return;
  for (const auto& [key, checker] : checks_.checkers()) {
    const auto silence = silences_.find(key);
    if (!checker.open() || silence == silences_.end()) continue;
    if (EndOf(silence->second) + kSlack < entry.at_us) {
      Wrong(entry, checker.checker_id + " has not been heard for long, and its session is open");
    }
  }
}

void CheckerSessionChecker::Before(const Entry& entry, const Event& event) {
  switch (event.event_case()) {
    case Event::kCheckerOpened:
      return BeforeOpen(entry, event.checker_opened());
    case Event::kCheckerAttached:
      return BeforeAttach(entry, event.checker_attached());
    case Event::kCheckerDraining:
      return Edge(entry, event.checker_draining().checker(), "draining");
    case Event::kCheckerClosed:
      return BeforeClose(entry, event.checker_closed());
    case Event::kCheckerHeard:
      silences_[event.checker_heard().checker()] = {entry.at_us, 0, false};
      return;
    case Event::kControllerStarted:
      return Excuse(event.controller_started().downtime());
    case Event::kHoldOffStarted:
      return Excuse(event.hold_off_started().stalled());
    default:
      return;
  }
}

void CheckerSessionChecker::Edge(const Entry& entry, std::uint32_t key, const std::string& to) {
  const std::string edge = StateWord(checks_.Checker(key)) + " to " + to;
  reached_.Count("checker edge", edge);
  if (AllowedEdges().contains(edge)) return;
  Wrong(entry, "checker " + std::to_string(key) + " goes from " + edge + ", which is no edge of the lifecycle");
}

void CheckerSessionChecker::BeforeOpen(const Entry& entry, const log::v1::CheckerOpened& opened) {
  Edge(entry, opened.checker(), "handshaking");
  if (!used_session_ids_.insert(opened.session_id()).second) {
    Wrong(entry, opened.checker_id() + ": session id " + opened.session_id() + " is used again");
  }
  silences_[opened.checker()] = {entry.at_us, 0, false};
}

// Its first stream makes it active.
void CheckerSessionChecker::BeforeAttach(const Entry& entry, const log::v1::CheckerAttached& attached) {
  const ModelChecker* checker = checks_.Checker(attached.checker());
  if (checker == nullptr || !checker->open()) return Wrong(entry, "a stream for nobody");
  if (checker->stream != 0) Wrong(entry, checker->checker_id + " has two streams");
  if (checker->state == controlplane::v1::SESSION_STATE_HANDSHAKING) Edge(entry, attached.checker(), "active");
}

void CheckerSessionChecker::BeforeClose(const Entry& entry, const log::v1::CheckerClosed& closed) {
  Edge(entry, closed.checker(), "closed");
  reached_.Count("checker close reason", admin::v1::CloseReason_Name(closed.reason()));
  const ModelChecker* checker = checks_.Checker(closed.checker());
  if (checker == nullptr || checker->session_id != closed.session_id()) {
    Wrong(entry, "a session is closed that is not the checker's latest");
  }
  if (closed.reason() != admin::v1::CLOSE_REASON_EXPIRED) return;
  const std::int64_t expiry = EndOf(silences_[closed.checker()]);
  if (entry.at_us < expiry) {
    Wrong(entry, "session " + closed.session_id() + " expires " + std::to_string(expiry - entry.at_us) + " µs early");
  }
}

void CheckerSessionChecker::Excuse(std::int64_t excused) {
  for (auto& [checker, silence] : silences_) {
    silence.excused += excused;
    silence.recovered = true;
  }
}

}  // namespace holdfast::simulation
