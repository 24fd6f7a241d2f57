// Issuing an update, and what a worker says of it. Contract: WatchSnapshots, AcknowledgeSnapshot; ownership.md
// "Windows".

#include <algorithm>

#include "controller/decide.h"
#include "controller/proto_time.h"
#include "controller/rule_constant.h"
#include "controller/session_rules.h"
#include "controller/snapshot_checksum.h"
#include "controller/snapshot_content.h"
#include "controller/validate_text.h"

namespace holdfast {
namespace {

using controlplane::v1::AcknowledgeSnapshotRequest;
using controlplane::v1::AcknowledgeSnapshotResponse;

constexpr std::size_t kDetailBytes = RuleConstant<std::size_t>(256, 16);  // of a refusal's text, kept in the log

// A checksum of content that did not change is not computed again: a renewal costs O(1).
Checksum ChecksumAfter(const ControllerState& state, const WorkerRow& worker, const ContentDifference& difference) {
  const WorkerSnapshots& row = state.snapshots().At(worker.opened.worker);
  const bool same = difference.empty() && row.routings_revision == state.routings().revision() && !row.issued.empty();
  if (same) return row.checksum;
  return SnapshotChecksum(row.epoch, RoutingsSeen(*state.routings().routings(), worker.opened.zone), difference.listed,
                          difference.content_sum);
}

// Without deltas an update cannot be continued: what does not fit is not given, and that is told.
// Who was full is relieved when a quarter is free: else what left would come back at once, not fit, and leave again.
void TellOversize(const ControllerState& state, const WorkerRow& worker, bool oversize, bool tight,
                  std::vector<Event>& events) {
  const std::string& id = worker.opened.worker_id.value();
  const bool alarmed = state.run().alarms().contains({AlarmKind::kSnapshotOversize, id});
  if (alarmed && tight) return;
  if (oversize && !alarmed) {
    events.emplace_back(AlarmRaised{AlarmKind::kSnapshotOversize, id,
                                    "its snapshot is as large as it can receive; no new grants. Give it deltas, a "
                                    "larger message or shorter labels"});
  }
  if (!oversize && alarmed) events.emplace_back(AlarmCleared{AlarmKind::kSnapshotOversize, id});
}

AcknowledgeSnapshotResponse AckAnswer(SessionState session_state, Version accepted, bool fenced, LogTime now) {
  AcknowledgeSnapshotResponse reply;
  reply.set_session_state(WireState(session_state));
  reply.set_accepted_version(accepted.value());
  reply.set_runtime_fenced(fenced);
  PutTime(now, reply.mutable_server_time());
  return reply;
}

bool WasIssued(const WorkerSnapshots& row, Version version) {
  return version >= row.first_version && version <= row.last_version;
}

const IssuedReference* Remembered(const WorkerSnapshots& row, Version version) {
  const auto found = std::find_if(row.issued.begin(), row.issued.end(),
                                  [&](const IssuedReference& reference) { return reference.version == version; });
  return found == row.issued.end() ? nullptr : &*found;
}

bool SameBytes(const Checksum& checksum, const std::string& bytes) {
  return bytes.size() == checksum.size() &&
         std::equal(checksum.begin(), checksum.end(), bytes.begin(),
                    [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); });
}

Rejection Superseded() {
  return {RejectReason::kReferenceSuperseded, "a later version was accepted or this one was refused; watch again",
          "version"};
}

Rejection NotIssued() {
  return {RejectReason::kReferenceNotIssued, "this version was not issued to this session; watch again", "version"};
}

Decision AcknowledgePositive(const WorkerRow& worker, const WorkerSnapshots& row,
                             const AcknowledgeSnapshotRequest& request, LogTime now) {
  const Version version(request.version());
  const WorkerKey key = worker.opened.worker;
  const IssuedReference* reference = Remembered(row, version);
  if (row.accepted && row.accepted->version == version && SameBytes(row.accepted->checksum, request.checksum())) {
    return {{SessionHeard{key}}, AckAnswer(worker.state, version, row.fenced, now)};
  }
  if (!WasIssued(row, version)) return {{}, NotIssued()};
  if (reference != nullptr && !SameBytes(reference->checksum, request.checksum())) {
    return {{},
            Rejection{RejectReason::kChecksumMismatch, "the checksum is not that of the issued version; watch again",
                      "checksum"}};
  }
  const bool older = row.accepted && version < row.accepted->version;
  if (reference == nullptr || older || version <= row.refused) return {{}, Superseded()};
  if (IsOver(reference->valid_until, now)) {
    return {
        {},
        Rejection{RejectReason::kSnapshotExpired, "valid_until of this version has passed; watch again", "version"}};
  }
  Decision decision;
  decision.events.emplace_back(SnapshotAcknowledged{key, version});
  SessionState session_state = worker.state;
  if (session_state == SessionState::kHandshaking) {
    decision.events.emplace_back(SessionActivated{key});
    session_state = SessionState::kActive;
  }
  decision.reply = AckAnswer(session_state, version, false, now);
  return decision;
}

Decision AcknowledgeNegative(const WorkerRow& worker, const WorkerSnapshots& row,
                             const AcknowledgeSnapshotRequest& request, LogTime now) {
  const Version version(request.version());
  const WorkerKey key = worker.opened.worker;
  if (!WasIssued(row, version)) return {{}, NotIssued()};
  if (row.accepted && version < row.accepted->version) return {{}, Superseded()};
  if (row.fenced && version <= row.refused) {
    return {{SessionHeard{key}}, AckAnswer(worker.state, Version(), true, now)};
  }
  if (version <= row.refused) return {{}, Superseded()};
  return {{SnapshotRefused{key, version, static_cast<SnapshotRefusal>(request.refusal()),
                           std::string(CutUtf8(request.reject_detail(), kDetailBytes))}},
          AckAnswer(worker.state, Version(), true, now)};
}

}  // namespace

Decision DecideIssue(const ControllerState& state, const log::v1::IssueSnapshot& input, const DecisionPoint& point) {
  const WorkerKey key(input.worker());
  const WorkerRow* worker = state.sessions().workers().Find(key);
  if (worker == nullptr || !worker->open() || worker->stream.value() == 0) return {};
  const WorkerSnapshots& row = state.snapshots().At(key);
  if (row.outstanding.value() != 0) return {};
  const bool full = row.full_needed || !row.accepted || !row.takes_deltas;
  ContentDifference difference = CompareContent(state, *worker, full, point.now);
  SnapshotIssued issued;
  issued.worker = key;
  issued.version = Next(row.last_version);
  issued.base = full ? Version() : row.accepted->version;
  issued.epoch = row.epoch;
  issued.valid_until = point.now + state.settings().snapshot_validity;
  issued.checksum = ChecksumAfter(state, *worker, difference);
  issued.content_sum = difference.content_sum;
  issued.routings_revision = state.routings().revision();
  issued.upserted = std::move(difference.upserted);
  issued.states = std::move(difference.states);
  issued.removed = std::move(difference.removed);
  issued.shown = std::move(difference.shown);
  issued.dropped = std::move(difference.dropped);
  issued.partial = difference.overflowed && row.takes_deltas;
  issued.deferred = std::move(difference.deferred);
  issued.draining = std::move(difference.draining);
  Decision decision;
  // What fits no message at all is told to everybody; the alarm stands until something leaves or a new stream begins.
  const bool oversize = difference.unfit || (difference.overflowed && !row.takes_deltas);
  if (oversize || full || !issued.removed.empty())
    TellOversize(state, *worker, oversize, difference.tight && !row.takes_deltas, decision.events);
  decision.events.emplace_back(std::move(issued));
  return decision;
}

Decision DecideNotWritten(const ControllerState& state, const log::v1::UpdateNotWritten& input, const DecisionPoint&) {
  const WorkerRow* worker = state.sessions().Find(input.worker_id());
  if (worker == nullptr || worker->stream != StreamId(input.stream())) return {};
  const WorkerSnapshots& row = state.snapshots().At(worker->opened.worker);
  if (row.outstanding != Version(input.version())) return {};
  return {{UpdateAbandoned{worker->opened.worker, row.outstanding}}, {}};
}

Decision DecideAcknowledge(const ControllerState& state, const AcknowledgeSnapshotRequest& request,
                           const DecisionPoint& point) {
  // A negative answer is matched by session and version alone.
  const WorkerRow* known = state.sessions().Find(request.worker_id());
  const std::uint64_t epoch =
      request.accepted() || known == nullptr ? request.ownership_epoch() : known->opened.epoch.value();
  const SessionLookup lookup = FindSession(state, request.worker_id(), request.session_id(), epoch);
  if (const auto* rejection = std::get_if<Rejection>(&lookup)) return {{}, *rejection};
  const WorkerRow& worker = *std::get<const WorkerRow*>(lookup);
  const WorkerSnapshots& row = state.snapshots().At(worker.opened.worker);
  if (!request.accepted()) return AcknowledgeNegative(worker, row, request, point.now);
  Decision decision = AcknowledgePositive(worker, row, request, point.now);
  const std::string& id = worker.opened.worker_id.value();
  const bool accepts = !std::holds_alternative<Rejection>(decision.reply);
  if (accepts && state.run().alarms().contains({AlarmKind::kSnapshotRefused, id})) {
    decision.events.emplace_back(AlarmCleared{AlarmKind::kSnapshotRefused, id});
  }
  return decision;
}

}  // namespace holdfast
