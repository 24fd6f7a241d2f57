// Calls that no good checker sends: of sessions that are over, of tasks that are not its own, with wrong sequences,
// malformed, too many. Each must be refused, or count for nothing.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/world/operation.h"

namespace holdfast::simulation {
namespace {

using controlplane::v1::CheckTask;
using controlplane::v1::HealthObservation;
using controlplane::v1::ReportObservationsRequest;
using log::v1::Input;

constexpr std::uint64_t kTooFar = (std::uint64_t{1} << 32) + 7;
constexpr char kNoSession[] = "0123456789abcdef0123456789abcdef";

// A process that has a session; nullptr: none has.
const CheckerProcess* AnyMember(Scene& scene) {
  for (int tries = 0; tries < 4 && !scene.checkers.empty(); ++tries) {
    const CheckerHost& host = *scene.AnyChecker();
    const auto& process = *host.processes()[scene.world.random.Below(host.processes().size())];
    if (process.alive() && process.session()) return &process;
  }
  return nullptr;
}

ReportObservationsRequest ReportOf(const CheckerProcess& process) {
  ReportObservationsRequest request;
  request.set_checker_id(process.identity().checker_id);
  request.set_session_id(process.session()->id);
  request.set_sequence(std::max<std::uint64_t>(process.report_sequence(), 1));
  return request;
}

HealthObservation PassOf(const CheckTask& task) {
  HealthObservation seen;
  seen.set_task_id(task.task_id());
  seen.set_proxy_id(task.proxy_id());
  seen.set_level(task.level());
  seen.set_routing_id(task.routing_id());
  seen.set_verdict(controlplane::v1::VERDICT_PASS);
  return seen;
}

void SendReport(Scene& scene, const ReportObservationsRequest& request) {
  Input input;
  *input.mutable_report_observations()->mutable_request() = request;
  scene.Send(input, kRogue);
}

// A report or a stream of a session that was seen once and may be over.
void TooLate(Scene& scene) {
  const CheckerProcess* process = AnyMember(scene);
  if (process != nullptr) {
    scene.checker_sightings.emplace_back(process->identity().checker_id, process->session()->id);
  }
  if (scene.checker_sightings.empty()) return;
  const auto& [checker_id, session_id] =
      scene.checker_sightings[scene.world.random.Below(scene.checker_sightings.size())];
  Input input;
  if (scene.world.random.Chance(1, 3)) {
    auto& request = *input.mutable_watch_tasks()->mutable_request();
    request.set_checker_id(checker_id);
    request.set_session_id(session_id);
    return scene.Send(input, kRogue);
  }
  auto& request = *input.mutable_report_observations()->mutable_request();
  request.set_checker_id(checker_id);
  request.set_session_id(session_id);
  request.set_sequence(1);
  if (process != nullptr && !process->running().empty()) {
    *request.add_observations() = PassOf(process->running().begin()->second);
  }
  scene.Send(input, kRogue);
}

void WrongSession(Scene& scene) {
  const CheckerProcess* process = AnyMember(scene);
  if (process == nullptr) return;
  ReportObservationsRequest request = ReportOf(*process);
  if (scene.world.random.Chance(1, 2)) request.set_session_id(kNoSession);
  if (request.session_id() != kNoSession) request.set_checker_id(scene.AnyChecker()->identity().checker_id + "-other");
  SendReport(scene, request);
}

// An answer to what another was asked, to what nobody was asked, twice the same, or about another proxy.
void StrangeTask(Scene& scene) {
  const CheckerProcess* process = AnyMember(scene);
  const CheckerProcess* other = AnyMember(scene);
  if (process == nullptr || other == nullptr) return;
  ReportObservationsRequest request = ReportOf(*process);
  request.set_sequence(request.sequence() + 1);
  CheckTask task;
  task.set_task_id("999999999");
  task.set_proxy_id("unknown");
  task.set_level(controlplane::v1::CHECK_LEVEL_BASIC);
  if (!other->running().empty()) task = other->running().begin()->second;
  *request.add_observations() = PassOf(task);
  if (scene.world.random.Chance(1, 2)) *request.add_observations() = PassOf(task);
  if (scene.world.random.Chance(1, 2)) request.mutable_observations(0)->set_proxy_id("another");
  SendReport(scene, request);
}

void WrongSequence(Scene& scene) {
  const CheckerProcess* process = AnyMember(scene);
  if (process == nullptr) return;
  ReportObservationsRequest request = ReportOf(*process);
  switch (scene.world.random.Below(3)) {
    case 0:
      request.set_sequence(request.sequence() + kTooFar);
      break;
    case 1:
      request.set_sequence(std::max<std::uint64_t>(request.sequence() / 2, 1));
      break;
    default:
      request.set_queued_request_count(scene.world.random.Below(1'000) + 1);
  }
  SendReport(scene, request);
}

void Malformed(Scene& scene) {
  const CheckerProcess* process = AnyMember(scene);
  if (process == nullptr) return;
  ReportObservationsRequest request = ReportOf(*process);
  switch (scene.world.random.Below(3)) {
    case 0:
      request.set_session_id("");
      break;
    case 1:
      request.add_observations()->set_task_id("1");  // without a verdict
      break;
    default:
      request.set_sequence(0);
  }
  SendReport(scene, request);
}

void OtherProtocol(Scene& scene) {
  Input input;
  auto& request = *input.mutable_register_checker()->mutable_request();
  request.set_checker_id(scene.checkers.empty() ? "c1" : scene.AnyChecker()->identity().checker_id);
  request.set_instance_id("rogue");
  request.set_max_concurrency(1);
  request.add_levels(controlplane::v1::CHECK_LEVEL_BASIC);
  request.set_min_protocol_version(2);
  request.set_supported_protocol_version(3);
  scene.Send(input, kRogue);
}

// Registers and is never heard again.
void Stranger(Scene& scene) {
  if (scene.checkers.empty()) return;
  Input input;
  auto& request = *input.mutable_register_checker()->mutable_request();
  request.set_checker_id("stranger-" + std::to_string(++scene.strangers));
  request.set_instance_id("s" + std::to_string(scene.world.random.Below(1'000'000)));
  request.set_max_concurrency(5);
  request.add_levels(controlplane::v1::CHECK_LEVEL_BASIC);
  request.set_supported_protocol_version(1);
  scene.Send(input, kRogue);
}

}  // namespace

std::vector<Operation> RogueCheckerOperations() {
  return {{"a checker's call of a session that may be over", 14, TooLate},
          {"a checker's call of another's session", 6, WrongSession},
          {"an answer to a task that is not its own", 12, StrangeTask},
          {"a checker's report with a wrong sequence", 10, WrongSequence},
          {"a checker's malformed call", 4, Malformed},
          {"a checker's registration with another protocol", 3, OtherProtocol},
          {"a strange checker registers", 1, Stranger}};
}

}  // namespace holdfast::simulation
