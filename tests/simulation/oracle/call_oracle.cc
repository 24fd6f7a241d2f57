#include "tests/simulation/oracle/call_oracle.h"

#include <algorithm>
#include <vector>

#include "tests/simulation/oracle/contract.h"

namespace holdfast::simulation {
namespace {

using controlplane::v1::AcknowledgeSnapshotRequest;
using controlplane::v1::RegisterWorkerRequest;
using controlplane::v1::ReportOutcomesRequest;
using controlplane::v1::ReportRuntimeRequest;
using log::v1::Event;
using log::v1::Input;

bool IsWorkersCall(const Input& input) {
  return input.input_case() >= Input::kRegisterWorker && input.input_case() <= Input::kReportOutcomes;
}

std::string HexOf(const std::string& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

bool IsSameProcess(const Member& member, const RegisterWorkerRequest& request) {
  if (member.session_id.empty() || request.instance_id() != member.instance_id) return false;
  if (request.previous_session_id() == member.session_id) return true;
  return !request.registration_id().empty() && request.registration_id() == member.registration_id;
}

}  // namespace

std::string ReportContent(const ReportRuntimeRequest& request) {
  std::vector<std::string> counters;
  for (const controlplane::v1::ProxyRuntime& counter : request.counters()) {
    if (counter.active() == 0 && counter.reserved() == 0 && !counter.draining()) continue;
    counters.push_back(counter.proxy_id() + " " + std::to_string(counter.active()) + " " +
                       std::to_string(counter.reserved()) + (counter.draining() ? " draining" : ""));
  }
  std::sort(counters.begin(), counters.end());
  std::string content = std::to_string(request.snapshot_version()) + " " + std::to_string(request.ownership_epoch()) +
                        (request.draining() ? " draining " : " ") + std::to_string(request.queued_request_count());
  for (const std::string& counter : counters) content += "\n" + counter;
  return content;
}

void CallOracle::Wrong(const Entry& entry, const std::string& what) {
  violations_.Add("oracle", "sequence " + std::to_string(entry.sequence) + ", " + InputNameOf(entry.input) + " {" +
                                entry.input.ShortDebugString() + "}: " + what);
}

void CallOracle::OnEntry(const Entry& entry) {
  const Reason decided = ReasonOf(entry);
  if (IsWorkersCall(entry.input)) {
    ++predictions_;
    const Reason predicted = Predict(entry);
    reached_.Count("predicted of " + InputNameOf(entry.input), Word(predicted));
    if (predicted != decided) Wrong(entry, Word(decided) + ", but by the contract it is " + Word(predicted));
  }
  Fold(entry, !decided);
}

CallOracle::Reason CallOracle::Predict(const Entry& entry) const {
  const Input& input = entry.input;
  switch (input.input_case()) {
    case Input::kRegisterWorker:
      return PredictRegister(input.register_worker().request());
    case Input::kWatchSnapshots: {
      const auto& request = input.watch_snapshots().request();
      if (const Reason reason = PredictSession(request.worker_id(), request.session_id())) return reason;
      return PredictEpoch(request.worker_id(), request.ownership_epoch());
    }
    case Input::kAcknowledgeSnapshot:
      return PredictAck(input.acknowledge_snapshot(), entry.at_us);
    case Input::kReportRuntime:
      return PredictReport(input.report_runtime().request());
    case Input::kReportOutcomes:
      return PredictOutcomes(input.report_outcomes().request());
    default:
      return std::nullopt;
  }
}

CallOracle::Reason CallOracle::PredictRegister(const RegisterWorkerRequest& request) const {
  const std::uint32_t least =
      request.min_protocol_version() == 0 ? request.supported_protocol_version() : request.min_protocol_version();
  if (least <= kOurVersion && kOurVersion <= request.supported_protocol_version()) return std::nullopt;
  return controlplane::v1::REJECT_REASON_PROTOCOL_VERSION;
}

CallOracle::Reason CallOracle::PredictSession(const std::string& worker_id, const std::string& session_id) const {
  const auto found = members_.find(worker_id);
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

CallOracle::Reason CallOracle::PredictEpoch(const std::string& worker_id, std::uint64_t epoch) const {
  const Member& member = members_.at(worker_id);
  if (epoch < member.epoch) return controlplane::v1::REJECT_REASON_EPOCH_STALE;
  if (epoch > member.epoch) return controlplane::v1::REJECT_REASON_EPOCH_AHEAD;
  return std::nullopt;
}

CallOracle::Reason CallOracle::PredictAck(const AcknowledgeSnapshotRequest& request, std::int64_t at_us) const {
  if (const Reason reason = PredictSession(request.worker_id(), request.session_id())) return reason;
  const Member& member = members_.at(request.worker_id());
  const auto issued = member.issued.find(request.version());
  const bool older = member.accepted && request.version() < *member.accepted;
  if (!request.accepted()) {  // matched by session and version alone
    if (issued == member.issued.end()) return controlplane::v1::REJECT_REASON_REFERENCE_NOT_ISSUED;
    if (older) return controlplane::v1::REJECT_REASON_REFERENCE_SUPERSEDED;
    return std::nullopt;
  }
  if (const Reason reason = PredictEpoch(request.worker_id(), request.ownership_epoch())) return reason;
  if (issued == member.issued.end()) return controlplane::v1::REJECT_REASON_REFERENCE_NOT_ISSUED;
  const bool same = issued->second.checksum == request.checksum();
  if (same && member.accepted == request.version()) return std::nullopt;  // repeated
  if (!same) return controlplane::v1::REJECT_REASON_CHECKSUM_MISMATCH;
  if (older || request.version() <= member.refused) return controlplane::v1::REJECT_REASON_REFERENCE_SUPERSEDED;
  if (at_us >= issued->second.valid_until) return controlplane::v1::REJECT_REASON_SNAPSHOT_EXPIRED;
  return std::nullopt;
}

CallOracle::Reason CallOracle::PredictReport(const ReportRuntimeRequest& request) const {
  if (const Reason reason = PredictSession(request.worker_id(), request.session_id())) return reason;
  if (const Reason reason = PredictEpoch(request.worker_id(), request.ownership_epoch())) return reason;
  const Member& member = members_.at(request.worker_id());
  if (member.fenced) return controlplane::v1::REJECT_REASON_RUNTIME_FENCED;
  if (member.accepted != request.snapshot_version()) return controlplane::v1::REJECT_REASON_VERSION_NOT_ACKNOWLEDGED;
  const std::uint64_t last = member.report_sequence;
  if (request.report_sequence() > last + kLargestStep) return controlplane::v1::REJECT_REASON_MALFORMED;
  if (request.report_sequence() > last) return std::nullopt;
  if (request.report_sequence() < last) return controlplane::v1::REJECT_REASON_SEQUENCE_REGRESSED;
  if (ReportContent(request) == member.report_content) return std::nullopt;
  return controlplane::v1::REJECT_REASON_SEQUENCE_CONFLICT;
}

CallOracle::Reason CallOracle::PredictOutcomes(const ReportOutcomesRequest& request) const {
  if (const Reason reason = PredictSession(request.worker_id(), request.session_id())) return reason;
  if (const Reason reason = PredictEpoch(request.worker_id(), request.ownership_epoch())) return reason;
  const std::uint64_t last = members_.at(request.worker_id()).outcome_sequence;
  if (request.sequence() > last + kLargestStep) return controlplane::v1::REJECT_REASON_MALFORMED;
  return std::nullopt;
}

void CallOracle::Fold(const Entry& entry, bool accepted) {
  if (accepted && entry.input.has_acknowledge_snapshot()) FoldAck(entry);
  if (accepted && entry.input.has_report_runtime()) FoldReport(entry);
  if (accepted && entry.input.has_report_outcomes()) {
    const ReportOutcomesRequest& request = entry.input.report_outcomes().request();
    Member& member = members_[request.worker_id()];
    const bool grows = request.sequence() > member.outcome_sequence;
    if (grows != HasEvent(entry, Event::kOutcomesAccepted)) Wrong(entry, "a batch counts once, and only once");
    member.outcome_sequence = std::max(member.outcome_sequence, request.sequence());
  }
  for (const Event& event : entry.events.events()) {
    if (event.has_session_opened()) JudgeRegistration(entry, event.session_opened());
    FoldEvent(event);
  }
}

void CallOracle::FoldAck(const Entry& entry) {
  const AcknowledgeSnapshotRequest& request = entry.input.acknowledge_snapshot();
  Member& member = members_[request.worker_id()];
  if (!request.accepted()) {
    member.accepted.reset();
    member.refused = std::max(member.refused, request.version());
    member.fenced = true;
    return;
  }
  const bool repeated = member.accepted == request.version();
  if (repeated == HasEvent(entry, Event::kSnapshotAcknowledged)) Wrong(entry, "a reference is accepted once");
  if (member.handshaking != HasEvent(entry, Event::kSessionActivated)) {
    Wrong(entry, "a session becomes active at its first positive ACK, and only then");
  }
  member.accepted = request.version();
  member.fenced = false;
  member.handshaking = false;
}

void CallOracle::FoldReport(const Entry& entry) {
  const ReportRuntimeRequest& request = entry.input.report_runtime().request();
  Member& member = members_[request.worker_id()];
  const bool grows = request.report_sequence() > member.report_sequence;
  if (grows != HasEvent(entry, Event::kRuntimeAccepted)) Wrong(entry, "a repeated report has no effect, a new one has");
  member.report_sequence = request.report_sequence();
  member.report_content = ReportContent(request);
}

void CallOracle::JudgeRegistration(const Entry& entry, const log::v1::SessionOpened& opened) {
  if (!entry.input.has_register_worker()) return Wrong(entry, "a session opens without a registration");
  const RegisterWorkerRequest& request = entry.input.register_worker().request();
  const auto found = members_.find(request.worker_id());
  const Member none;
  const Member& member = found == members_.end() ? none : found->second;
  if (member.open) Wrong(entry, "two sessions of one worker are open");
  const std::uint64_t epoch = std::max(member.epoch, base_);
  const std::uint64_t version = std::max(member.last_version, base_);
  const bool ahead = (!request.last_log_id().empty() && request.last_log_id() != log_id_) ||
                     request.last_ownership_epoch() > epoch || request.last_version() > version;
  if (ahead != HasEvent(entry, Event::kHistoryLost)) Wrong(entry, "lost history is to be told when a worker shows it");
  const bool same = !ahead && !member.conflict && IsSameProcess(member, request);
  if (same == opened.new_instance()) {
    Wrong(entry, same ? "the same process is taken for another" : "another process is taken for the same");
  }
  if (same ? opened.epoch() != member.epoch : opened.epoch() <= std::max(epoch, request.last_ownership_epoch())) {
    Wrong(entry, "epoch " + std::to_string(opened.epoch()) + " after " + std::to_string(member.epoch));
  }
  if (opened.version_floor() < request.last_version()) Wrong(entry, "versions do not go on above what it named");
}

void CallOracle::FoldEvent(const Event& event) {
  if (event.has_log_created()) {
    log_id_ = HexOf(event.log_created().log_id());
    base_ = event.log_created().base();
  } else if (event.has_session_opened()) {
    const log::v1::SessionOpened& opened = event.session_opened();
    ids_[opened.worker()] = opened.worker_id();
    Member& member = members_[opened.worker_id()];
    Member next;
    next.session_id = opened.session_id();
    next.instance_id = opened.instance_id();
    next.registration_id = opened.registration_id();
    next.epoch = opened.epoch();
    next.open = true;
    next.handshaking = true;
    next.closed = std::move(member.closed);
    next.outcome_sequence = member.outcome_sequence;
    next.last_version = std::max(member.last_version, opened.version_floor());
    next.conflict = member.conflict;
    member = std::move(next);
  } else if (event.has_instances_swapped()) {
    Member& member = MemberOf(event.instances_swapped().worker());
    member.conflict = member.conflict || event.instances_swapped().conflict_until() != 0;
  } else if (event.has_alarm_cleared()) {
    if (event.alarm_cleared().kind() == admin::v1::ALARM_KIND_INSTANCE_CONFLICT) {
      members_[event.alarm_cleared().subject()].conflict = false;
    }
  } else if (event.has_session_closed()) {
    Member& member = MemberOf(event.session_closed().worker());
    member.open = false;
    member.closed.emplace_back(event.session_closed().session_id(), event.session_closed().reason());
    if (member.closed.size() > kRememberedSessions) member.closed.pop_front();
  } else if (event.has_snapshot_issued()) {
    const log::v1::SnapshotIssued& issued = event.snapshot_issued();
    Member& member = MemberOf(issued.worker());
    member.issued[issued.version()] = {issued.checksum(), issued.valid_until()};
    member.last_version = issued.version();
  }
}

}  // namespace holdfast::simulation
