// Worker sessions: registration, streams, shed calls. Contract: RegisterWorker, WatchSnapshots; which process it is.

#include <algorithm>

#include "controller/decide.h"
#include "controller/instance_conflict.h"
#include "controller/proto_time.h"
#include "controller/rule_constant.h"
#include "controller/session_rules.h"
#include "controller/wait_rules.h"

namespace holdfast {
namespace {

using controlplane::v1::RegisterWorkerRequest;
using controlplane::v1::RegisterWorkerResponse;

constexpr std::uint32_t kProtocolVersion = 1;
constexpr std::uint64_t kEpochStep = RuleConstant<std::uint64_t>(1, 2);

bool SpeaksOurVersion(const RegisterWorkerRequest& request) {
  const std::uint32_t least =
      request.min_protocol_version() != 0 ? request.min_protocol_version() : request.supported_protocol_version();
  return least <= kProtocolVersion && kProtocolVersion <= request.supported_protocol_version();
}

// The same process only if it has the instance id of the latest session and names that session, or repeats the
// registration that opened it. Everything else is another instance, and in a conflict everybody is.
bool IsSameProcess(const WorkerRow& worker, const RegisterWorkerRequest& request) {
  const SessionOpened& latest = worker.opened;
  if (!IsAbsent(worker.conflict_until)) return false;  // two are alive: no word of theirs tells which is which
  if (request.instance_id() != latest.instance_id.value()) return false;
  return request.previous_session_id() == latest.session_id.value() ||
         (!request.registration_id().empty() && request.registration_id() == latest.registration_id);
}

struct Lineage {
  Epoch epoch;
  Version version_floor;
  bool same_process = false;
  bool history_lost = false;  // the worker remembers more than this log does
};

Lineage LineageOf(const ControllerState& state, const WorkerRow* worker, const RegisterWorkerRequest& request) {
  const std::uint64_t base = state.run().base();
  const std::uint64_t epoch = worker ? worker->opened.epoch.value() : base;
  const std::uint64_t version = worker ? std::max(state.snapshots().At(worker->opened.worker).last_version.value(),
                                                  worker->opened.version_floor.value())
                                       : base;
  Lineage lineage;
  lineage.history_lost = (!request.last_log_id().empty() && request.last_log_id() != state.run().log_id_text()) ||
                         request.last_ownership_epoch() > epoch || request.last_version() > version;
  lineage.same_process = worker != nullptr && !lineage.history_lost && IsSameProcess(*worker, request);
  const std::uint64_t above = lineage.history_lost ? std::max(epoch, request.last_ownership_epoch()) : epoch;
  lineage.epoch = Epoch(lineage.same_process ? epoch : above + kEpochStep);
  lineage.version_floor = Version(lineage.history_lost ? std::max(version, request.last_version()) : version);
  return lineage;
}

SessionOpened Open(const ControllerState& state, WorkerKey key, const Lineage& lineage,
                   const log::v1::RegisterWorker& input, const DecisionPoint& point) {
  const RegisterWorkerRequest& request = input.request();
  const Settings& settings = state.settings();
  SessionOpened opened;
  opened.worker = key;
  opened.worker_id = WorkerId(request.worker_id());
  opened.session_id = SessionId(input.session_id());
  opened.instance_id = InstanceId(request.instance_id());
  opened.registration_id = request.registration_id();
  opened.epoch = lineage.epoch;
  opened.new_instance = !lineage.same_process;
  opened.zone = request.zone();
  opened.weight = request.has_weight() ? request.weight() : 1;
  const auto bound = static_cast<std::uint32_t>(settings.max_proxies_per_worker);
  opened.max_proxies = request.has_max_proxies() ? std::min(request.max_proxies(), bound) : bound;
  for (const int capability : request.capabilities()) opened.capabilities |= 1u << capability;
  opened.protocol_version = kProtocolVersion;
  opened.max_message_bytes = request.max_message_bytes() == 0
                                 ? settings.max_message
                                 : std::min<std::uint64_t>(settings.max_message, request.max_message_bytes());
  opened.reconnect_attempt = request.reconnect_attempt();
  opened.software_version = request.software_version();
  opened.principal = std::string(point.principal);
  opened.lapse_grace = settings.lapse_grace;
  opened.version_floor = lineage.version_floor;
  return opened;
}

// What the same process held when its session ended, and what nobody asked back, is its own again.
void Resume(const ControllerState& state, const SessionOpened& opened, std::vector<Event>& events) {
  OwnershipResumed resumed{opened.worker, opened.worker_id, opened.epoch, opened.session_id, {}};
  for (const AddressKey address : state.ownership().holder(opened.worker).owned) {
    const HoldRow& hold = state.ownership().hold(address);
    if (hold.state == OwnershipState::kLapsing && hold.lapse_cause == LapseCause::kSessionOver &&
        hold.epoch == opened.epoch) {
      resumed.addresses.push_back(address);
    }
  }
  if (!resumed.addresses.empty()) events.emplace_back(std::move(resumed));
}

// What an earlier instance may still be using, and what nobody asked back, is this one's as HELD until that is over.
void Hold(const ControllerState& state, const SessionOpened& opened, std::vector<Event>& events) {
  OwnershipHeld held{opened.worker, opened.worker_id, opened.epoch, opened.session_id, {}};
  for (const AddressKey address : state.ownership().holder(opened.worker).owned) {
    if (!state.ownership().hold(address).revoked()) held.addresses.push_back(address);
  }
  if (!held.addresses.empty()) events.emplace_back(std::move(held));
}

void NoteLostHistory(const ControllerState& state, const RegisterWorkerRequest& request, const DecisionPoint& point,
                     std::vector<Event>& events) {
  events.emplace_back(HistoryLost{WorkerId(request.worker_id()), request.last_log_id(),
                                  Epoch(request.last_ownership_epoch()), Version(request.last_version())});
  events.emplace_back(
      AlarmRaised{AlarmKind::kHistoryLost, request.worker_id(),
                  "a worker remembers a later history than this log holds; no grants until what the lost "
                  "part gave is over"});
  StartWait(state.settings(), WaitReason::kHistoryLost, point.now, events);
}

RegisterWorkerResponse Answer(const ControllerState& state, const SessionOpened& opened, const DecisionPoint& point) {
  const Settings& settings = state.settings();
  RegisterWorkerResponse reply;
  reply.set_session_id(opened.session_id.value());
  reply.set_ownership_epoch(opened.epoch.value());
  PutDuration(settings.max_stale_age, reply.mutable_max_stale_age());
  PutDuration(settings.session_ttl, reply.mutable_session_ttl());
  PutDuration(settings.report_interval, reply.mutable_report_interval());
  reply.set_protocol_version(opened.protocol_version);
  const WorkerRow* worker = state.sessions().Find(opened.worker_id.value());
  reply.set_last_outcome_sequence(worker ? state.outcomes().At(opened.worker).sequence : 0);
  PutTime(point.now, reply.mutable_server_time());
  PutDuration(opened.lapse_grace, reply.mutable_lapse_grace());
  reply.set_log_id(state.run().log_id_text());
  PutDuration(settings.ack_timeout, reply.mutable_ack_timeout());
  PutDuration(settings.runtime_ttl, reply.mutable_runtime_ttl());
  reply.set_max_batch(static_cast<std::uint32_t>(settings.max_batch));
  reply.set_session_state(controlplane::v1::SESSION_STATE_HANDSHAKING);
  return reply;
}

}  // namespace

Decision DecideRegister(const ControllerState& state, const log::v1::RegisterWorker& input,
                        const DecisionPoint& point) {
  const RegisterWorkerRequest& request = input.request();
  if (!SpeaksOurVersion(request)) {
    const std::string version = std::to_string(kProtocolVersion);
    return {{},
            Rejection{RejectReason::kProtocolVersion,
                      "no protocol version that both ends speak; use one of min..max",
                      "supported_protocol_version",
                      {{"min", version}, {"max", version}}}};
  }
  const WorkerRow* worker = state.sessions().Find(request.worker_id());
  const Lineage lineage = LineageOf(state, worker, request);
  Decision decision;
  if (worker != nullptr && !lineage.same_process) NoteReturn(state, *worker, request, point.now, decision.events);
  if (worker != nullptr && worker->open()) {
    const WorkerKey key = worker->opened.worker;
    if (worker->stream.value() != 0) {
      decision.events.emplace_back(SessionDetached{key, worker->stream, RejectReason::kSessionSuperseded});
    }
    decision.events.emplace_back(SessionClosed{key, worker->opened.session_id, CloseReason::kSuperseded});
  }
  if (worker != nullptr && !lineage.same_process) {
    LapseAll(state, worker->opened.worker, LapseCause::kNewInstance, RevokeReason::kUnspecified, decision.events);
  }
  if (lineage.history_lost) NoteLostHistory(state, request, point, decision.events);
  const WorkerKey key = worker ? worker->opened.worker : state.sessions().next_key();
  const SessionOpened opened = Open(state, key, lineage, input, point);
  decision.events.emplace_back(opened);
  if (lineage.same_process) Resume(state, opened, decision.events);
  if (worker != nullptr && !lineage.same_process) Hold(state, opened, decision.events);
  decision.reply = Answer(state, opened, point);
  return decision;
}

Decision DecideWatch(const ControllerState& state, const log::v1::WatchSnapshots& input, const DecisionPoint&) {
  const controlplane::v1::WatchSnapshotsRequest& request = input.request();
  const SessionLookup lookup = FindSession(state, request.worker_id(), request.session_id(), request.ownership_epoch());
  if (const auto* rejection = std::get_if<Rejection>(&lookup)) return {{}, *rejection};
  const WorkerRow& worker = *std::get<const WorkerRow*>(lookup);
  const WorkerKey key = worker.opened.worker;
  Decision decision;
  if (worker.stream.value() != 0) {
    decision.events.emplace_back(SessionDetached{key, worker.stream, RejectReason::kStreamReplaced});
  }
  const std::optional<IssuedReference>& accepted = state.snapshots().At(key).accepted;
  const bool resumed = accepted && accepted->version.value() == request.last_version() &&
                       std::string_view(request.last_checksum()) ==
                           std::string_view(reinterpret_cast<const char*>(accepted->checksum.data()), 32);
  decision.events.emplace_back(SessionAttached{key, StreamId(input.stream()), resumed});
  decision.reply = WatchAccepted{StreamId(input.stream())};
  return decision;
}

Decision DecideStreamEnded(const ControllerState& state, const log::v1::StreamEnded& input, const DecisionPoint&) {
  const WorkerRow* worker = state.sessions().Find(input.worker_id());
  if (worker == nullptr || worker->stream != StreamId(input.stream())) return {};
  return {{SessionDetached{worker->opened.worker, worker->stream, RejectReason::kUnspecified}}, {}};
}

Decision DecideShed(const ControllerState& state, const log::v1::CallsShed& input, const DecisionPoint&) {
  Decision decision;
  for (const auto& session : input.sessions()) {
    if (!session.checker_id().empty()) {
      const CheckerRow* checker = state.checkers().Find(session.checker_id());
      const bool its =
          checker != nullptr && checker->open() && checker->opened.session_id.value() == session.session_id();
      if (its) decision.events.emplace_back(CheckerHeard{checker->opened.checker, 0, {}, 0, 0, {}});
      continue;
    }
    const WorkerRow* worker = state.sessions().Find(session.worker_id());
    if (worker == nullptr || !worker->open() || worker->opened.session_id.value() != session.session_id()) continue;
    decision.events.emplace_back(SessionHeard{worker->opened.worker});
  }
  return decision;
}

}  // namespace holdfast
