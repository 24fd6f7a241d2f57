#include "tests/simulation/oracle/checker_oracle.h"

#include <algorithm>

#include "tests/simulation/oracle/contract.h"

namespace holdfast::simulation {
namespace {

using controlplane::v1::RegisterCheckerRequest;
using controlplane::v1::ReportObservationsRequest;
using log::v1::Event;
using log::v1::Input;

bool IsJudged(const Input& input) {
  return input.has_register_checker() || input.has_watch_tasks() || input.has_report_observations() ||
         input.has_check_proxy();
}

// What counts as the content of a report: all but when something was observed, which is only for people.
std::string ContentOf(ReportObservationsRequest request) {
  request.clear_sequence();
  for (auto& seen : *request.mutable_observations()) seen.clear_observed_at();
  return request.ShortDebugString();
}

// A new report of the checker was taken: not only a sign of life.
bool IsTaken(const Entry& entry) {
  return std::any_of(entry.events.events().begin(), entry.events.events().end(), [](const Event& event) {
    return event.has_checker_heard() && event.checker_heard().sequence() != 0;
  });
}

}  // namespace

void CheckerOracle::Wrong(const Entry& entry, const std::string& what) {
  violations_.Add("checker oracle", "sequence " + std::to_string(entry.sequence) + ", " + InputNameOf(entry.input) +
                                        " {" + entry.input.ShortDebugString() + "}: " + what);
}

void CheckerOracle::OnEntry(const Entry& entry) {
  const Reason decided = ReasonOf(entry);
  if (IsJudged(entry.input)) {
    ++predictions_;
    const Reason predicted = Predict(entry);
    reached_.Count("predicted of " + InputNameOf(entry.input), Word(predicted));
    if (predicted != decided) Wrong(entry, Word(decided) + ", but by the contract it is " + Word(predicted));
  }
  if (entry.input.has_report_observations()) FoldReport(entry, !decided);
  if (entry.input.has_check_proxy() && decided.has_value() == HasEvent(entry, Event::kCheckRequested)) {
    Wrong(entry, "a check that was asked for is due at once, and only then");
  }
  for (const Event& event : entry.events.events()) FoldEvent(event);
}

CheckerOracle::Reason CheckerOracle::Predict(const Entry& entry) const {
  const Input& input = entry.input;
  switch (input.input_case()) {
    case Input::kRegisterChecker:
      return PredictRegister(input.register_checker().request());
    case Input::kWatchTasks:
      return PredictSession(input.watch_tasks().request().checker_id(), input.watch_tasks().request().session_id());
    case Input::kReportObservations:
      return PredictReport(input.report_observations().request());
    default:
      return PredictCheck(input.check_proxy());
  }
}

CheckerOracle::Reason CheckerOracle::PredictRegister(const RegisterCheckerRequest& request) const {
  const std::uint32_t least =
      request.min_protocol_version() == 0 ? request.supported_protocol_version() : request.min_protocol_version();
  if (least <= kOurVersion && kOurVersion <= request.supported_protocol_version()) return std::nullopt;
  return controlplane::v1::REJECT_REASON_PROTOCOL_VERSION;
}

CheckerOracle::Reason CheckerOracle::PredictSession(const std::string& checker_id,
                                                    const std::string& session_id) const {
  const auto found = members_.find(checker_id);
  if (found == members_.end()) return controlplane::v1::REJECT_REASON_SESSION_UNKNOWN;
  const Member& member = found->second;
  if (member.open && member.session_id == session_id) return std::nullopt;
  for (const auto& [id, reason] : member.closed) {
    if (id != session_id) continue;
    if (reason == admin::v1::CLOSE_REASON_SUPERSEDED) return controlplane::v1::REJECT_REASON_SESSION_SUPERSEDED;
    if (reason == admin::v1::CLOSE_REASON_EXPIRED) return controlplane::v1::REJECT_REASON_SESSION_EXPIRED;
    return controlplane::v1::REJECT_REASON_SESSION_CLOSED;
  }
  return controlplane::v1::REJECT_REASON_SESSION_UNKNOWN;
}

CheckerOracle::Reason CheckerOracle::PredictReport(const ReportObservationsRequest& request) const {
  if (const Reason reason = PredictSession(request.checker_id(), request.session_id())) return reason;
  const Member& member = members_.at(request.checker_id());
  if (request.sequence() > member.sequence + kLargestStep) return controlplane::v1::REJECT_REASON_MALFORMED;
  if (request.sequence() > member.sequence) return std::nullopt;
  if (request.sequence() < member.sequence) return controlplane::v1::REJECT_REASON_SEQUENCE_REGRESSED;
  if (ContentOf(request) == member.content) return std::nullopt;
  return controlplane::v1::REJECT_REASON_SEQUENCE_CONFLICT;
}

// Of a proxy that is checked, for what it is checked for.
CheckerOracle::Reason CheckerOracle::PredictCheck(const admin::v1::CheckProxyRequest& request) const {
  for (const auto& [key, proxy] : model_.proxies()) {
    if (proxy.proxy_id != request.proxy_id()) continue;
    if (!proxy.usable) return controlplane::v1::REJECT_REASON_FAILED_CONDITION;
    const ModelRouting* routing = checks_.RoutingOf(request.routing_id());
    if (!request.routing_id().empty() && routing == nullptr) return controlplane::v1::REJECT_REASON_NOT_FOUND;
    const std::uint32_t routing_key = routing == nullptr ? 0 : routing->key;
    if (checks_.Check({key, request.level(), routing_key}) != nullptr) return std::nullopt;
    return controlplane::v1::REJECT_REASON_FAILED_CONDITION;
  }
  return controlplane::v1::REJECT_REASON_NOT_FOUND;
}

void CheckerOracle::FoldReport(const Entry& entry, bool accepted) {
  const ReportObservationsRequest& request = entry.input.report_observations().request();
  const auto found = members_.find(request.checker_id());
  const bool current =
      found != members_.end() && found->second.open && found->second.session_id == request.session_id();
  const bool grows = accepted && current && request.sequence() > found->second.sequence;
  if (grows != IsTaken(entry)) Wrong(entry, "a report counts once, and only once");
  // It drains from any report of its session on, whatever else is refused about it.
  const bool drains = HasEvent(entry, Event::kCheckerDraining) || HasEvent(entry, Event::kCheckerClosed);
  if (current && request.draining() && !found->second.draining && !drains) Wrong(entry, "it says that it drains");
  if (!grows) return;
  found->second.sequence = request.sequence();
  found->second.content = ContentOf(request);
}

void CheckerOracle::FoldEvent(const Event& event) {
  if (event.has_checker_opened()) {
    const log::v1::CheckerOpened& opened = event.checker_opened();
    ids_[opened.checker()] = opened.checker_id();
    Member& member = members_[opened.checker_id()];
    Member next;
    next.session_id = opened.session_id();
    next.open = true;
    next.closed = std::move(member.closed);
    member = std::move(next);
  } else if (event.has_checker_draining()) {
    members_[ids_[event.checker_draining().checker()]].draining = true;
  } else if (event.has_checker_closed()) {
    Member& member = members_[ids_[event.checker_closed().checker()]];
    member.open = false;
    member.closed.emplace_back(event.checker_closed().session_id(), event.checker_closed().reason());
    if (member.closed.size() > kRememberedSessions) member.closed.pop_front();
  }
}

}  // namespace holdfast::simulation
