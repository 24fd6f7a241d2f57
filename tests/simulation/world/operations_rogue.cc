// Calls that no good worker sends: of sessions that are over, with wrong epochs, references and sequences, malformed,
// too large, too many. Each must be refused, or be without harm: what they say of running requests is always true.

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "tests/simulation/world/operation.h"

namespace holdfast::simulation {
namespace {

using controlplane::v1::AcknowledgeSnapshotRequest;
using controlplane::v1::ReportRuntimeRequest;
using log::v1::Input;

constexpr std::uint64_t kTooFar = (std::uint64_t{1} << 32) + 7;

// A process that has a session; nullptr: none has.
const WorkerProcess* AnyMember(Scene& scene) {
  for (int tries = 0; tries < 4; ++tries) {
    const WorkerHost& host = scene.AnyHost();
    const auto& process = *host.processes()[scene.world.random.Below(host.processes().size())];
    if (process.alive() && process.session()) return &process;
  }
  return nullptr;
}

void Remember(Scene& scene) {
  const WorkerProcess* process = AnyMember(scene);
  if (process == nullptr) return;
  Scene::Sighting seen{process->identity().worker_id, process->session()->id, process->session()->epoch, 0, ""};
  if (const auto ack = process->last_ack()) std::tie(seen.version, seen.checksum) = *ack;
  scene.sightings.push_back(seen);
}

AcknowledgeSnapshotRequest AckOf(const WorkerProcess& process) {
  AcknowledgeSnapshotRequest request;
  request.set_worker_id(process.identity().worker_id);
  request.set_session_id(process.session()->id);
  request.set_ownership_epoch(process.session()->epoch);
  request.set_version(process.view() ? process.view()->version : process.session()->epoch);
  request.set_checksum(std::string(32, '\x5a'));
  request.set_accepted(true);
  return request;
}

// What the process would report now, under the sequence that it used last.
ReportRuntimeRequest ReportOf(const WorkerProcess& process) {
  ReportRuntimeRequest request;
  request.set_worker_id(process.identity().worker_id);
  request.set_session_id(process.session()->id);
  request.set_ownership_epoch(process.session()->epoch);
  request.set_report_sequence(std::max<std::uint64_t>(process.report_sequence(), 1));
  if (!process.view() || process.view()->session_id != process.session()->id) return request;
  request.set_snapshot_version(process.view()->version);
  for (const auto& [proxy_id, running] : process.traffic().Counters()) {
    controlplane::v1::ProxyRuntime& counter = *request.add_counters();
    counter.set_proxy_id(proxy_id);
    counter.set_active(running.active);
    counter.set_reserved(running.reserved);
    counter.set_draining(running.draining);
  }
  return request;
}

void SendAck(Scene& scene, const AcknowledgeSnapshotRequest& request) {
  Input input;
  *input.mutable_acknowledge_snapshot() = request;
  scene.Send(input, kRogue);
}

void SendReport(Scene& scene, const ReportRuntimeRequest& request) {
  Input input;
  *input.mutable_report_runtime()->mutable_request() = request;
  scene.Send(input, kRogue);
}

void SendOutcomes(Scene& scene, const WorkerProcess& process, std::uint64_t sequence, std::int64_t epoch_off) {
  Input input;
  auto& request = *input.mutable_report_outcomes()->mutable_request();
  request.set_worker_id(process.identity().worker_id);
  request.set_session_id(process.session()->id);
  request.set_ownership_epoch(process.session()->epoch + static_cast<std::uint64_t>(epoch_off));
  request.set_sequence(sequence);
  scene.Send(input, kRogue);
}

void WrongReference(Scene& scene) {
  const WorkerProcess* process = AnyMember(scene);
  if (process == nullptr) return;
  AcknowledgeSnapshotRequest request = AckOf(*process);
  if (scene.world.random.Chance(1, 3)) request.set_version(request.version() + 1'000);
  if (request.version() > process->session()->epoch && scene.world.random.Chance(1, 4)) {
    request.set_accepted(false);
    request.set_version(request.version() + 1'000);
  }
  SendAck(scene, request);
}

// A refusal of an update before the one that was accepted, as one that was under way for long.
void LateRefusal(Scene& scene) {
  const WorkerProcess* process = AnyMember(scene);
  if (process == nullptr || !process->last_ack()) return;
  AcknowledgeSnapshotRequest request = AckOf(*process);
  request.set_accepted(false);
  request.set_version(process->last_ack()->first - 1);
  SendAck(scene, request);
}

// An ACK, a report or a Watch of long ago.
void TooLate(Scene& scene) {
  Remember(scene);
  if (scene.sightings.empty()) return;
  const Scene::Sighting seen = scene.sightings[scene.world.random.Below(scene.sightings.size())];
  Input input;
  switch (scene.world.random.Below(4)) {
    case 0: {
      auto& request = *input.mutable_watch_snapshots()->mutable_request();
      request.set_worker_id(seen.worker_id);
      request.set_session_id(seen.session_id);
      request.set_ownership_epoch(seen.epoch - 1);
      break;
    }
    case 1: {
      auto& request = *input.mutable_report_outcomes()->mutable_request();
      request.set_worker_id(seen.worker_id);
      request.set_session_id(seen.session_id);
      request.set_ownership_epoch(seen.epoch);
      request.set_sequence(1);
      break;
    }
    case 2: {
      auto& request = *input.mutable_report_runtime()->mutable_request();
      request.set_worker_id(seen.worker_id);
      request.set_session_id(seen.session_id);
      request.set_ownership_epoch(seen.epoch);
      request.set_report_sequence(1);
      request.set_snapshot_version(seen.version + 5'000);  // of none: its zeros prove nothing
      break;
    }
    default: {
      if (seen.version == 0) return;
      auto& request = *input.mutable_acknowledge_snapshot();
      request.set_worker_id(seen.worker_id);
      request.set_session_id(seen.session_id);
      request.set_ownership_epoch(seen.epoch);
      request.set_version(seen.version);
      request.set_checksum(seen.checksum);
      request.set_accepted(true);
    }
  }
  scene.Send(input, kRogue);
}

void WrongSession(Scene& scene) {
  const WorkerProcess* process = AnyMember(scene);
  if (process == nullptr) return;
  ReportRuntimeRequest request = ReportOf(*process);
  if (scene.world.random.Chance(1, 2)) {
    request.set_session_id("0123456789abcdef0123456789abcdef");
  } else {
    request.set_worker_id(scene.AnyHost().identity().worker_id);
    if (request.worker_id() == process->identity().worker_id) request.set_worker_id("nobody");
  }
  SendReport(scene, request);
}

void WrongEpoch(Scene& scene) {
  const WorkerProcess* process = AnyMember(scene);
  if (process == nullptr) return;
  const std::int64_t off = scene.world.random.Chance(1, 2) ? 1 : -1;
  if (scene.world.random.Chance(1, 3)) return SendOutcomes(scene, *process, 1, off);
  if (scene.world.random.Chance(1, 2)) {
    AcknowledgeSnapshotRequest request = AckOf(*process);
    request.set_ownership_epoch(request.ownership_epoch() + static_cast<std::uint64_t>(off));
    return SendAck(scene, request);
  }
  ReportRuntimeRequest request = ReportOf(*process);
  request.set_ownership_epoch(request.ownership_epoch() + static_cast<std::uint64_t>(off));
  SendReport(scene, request);
}

void WrongSequence(Scene& scene) {
  const WorkerProcess* process = AnyMember(scene);
  if (process == nullptr) return;
  ReportRuntimeRequest request = ReportOf(*process);
  switch (scene.world.random.Below(4)) {
    case 0:
      request.set_report_sequence(request.report_sequence() + kTooFar);
      break;
    case 1:
      request.set_report_sequence(std::max<std::uint64_t>(request.report_sequence() / 2, 1));
      break;
    case 2:
      return SendOutcomes(scene, *process, process->outcome_sequence() + 2 * kTooFar, 0);
    default:
      request.set_queued_request_count(scene.world.random.Below(1'000) + 1);
  }
  SendReport(scene, request);
}

void OtherProtocol(Scene& scene) {
  Input input;
  auto& request = *input.mutable_register_worker()->mutable_request();
  request.set_worker_id(scene.AnyHost().identity().worker_id);
  request.set_instance_id("rogue");
  request.set_min_protocol_version(2);
  request.set_supported_protocol_version(3);
  scene.Send(input, kRogue);
}

// Registers and is never heard again. Some remember another history of this log, or another log.
void Stranger(Scene& scene) {
  Input input;
  auto& request = *input.mutable_register_worker()->mutable_request();
  request.set_worker_id("stranger-" + std::to_string(++scene.strangers));
  request.set_instance_id("s" + std::to_string(scene.world.random.Below(1'000'000)));
  request.set_supported_protocol_version(1);
  request.set_registration_id("once");
  if (scene.world.random.Chance(1, 3)) request.set_last_log_id(std::string(32, 'e'));
  scene.Send(input, kRogue);
}

void Malformed(Scene& scene) {
  const WorkerProcess* process = AnyMember(scene);
  if (process == nullptr) return;
  ReportRuntimeRequest request = ReportOf(*process);
  if (scene.world.random.Chance(1, 2)) {
    request.set_session_id("");
  } else {
    const std::uint64_t over = scene.controller.settings().max_proxies_per_worker + 1;
    request.clear_counters();
    for (std::uint64_t i = 0; i < over; ++i) request.add_counters()->set_proxy_id("x" + std::to_string(1'000 + i));
  }
  SendReport(scene, request);
}

void Flood(Scene& scene) {
  for (int i = 0; i < 40; ++i) WrongSession(scene);
}

}  // namespace

std::vector<Operation> RogueOperations() {
  return {{"an ACK with a wrong reference", 12, WrongReference},
          {"a refusal of an older update", 8, LateRefusal},
          {"a call of a session that may be over", 20, TooLate},
          {"a call of another's session", 8, WrongSession},
          {"a call with another epoch", 10, WrongEpoch},
          {"a report or batch with a wrong sequence", 14, WrongSequence},
          {"a registration with another protocol", 4, OtherProtocol},
          {"a stranger registers", 2, Stranger},
          {"a malformed call", 4, Malformed},
          {"a flood of refused calls", 2, Flood}};
}

}  // namespace holdfast::simulation
