// Checkers in a log that tests verify: every rule of checks and health decides something of it.

#include <algorithm>

#include "tests/replay/log_maker.h"
#include "tests/replay/log_story_checkers.h"

namespace holdfast::testing {
namespace {

using controlplane::v1::HealthObservation;
using std::chrono::seconds;

constexpr const char* kChecker = "checker-1";

log::v1::Input RegisterChecker(const std::string& session) {
  log::v1::Input input;
  auto& request = *input.mutable_register_checker()->mutable_request();
  request.set_checker_id(kChecker);
  request.set_instance_id("instance-" + session);
  request.set_supported_protocol_version(1);
  request.set_max_concurrency(500);
  for (const int level : {1, 2, 3}) request.add_levels(static_cast<controlplane::v1::CheckLevel>(level));
  request.add_capabilities(controlplane::v1::CHECKER_CAPABILITY_SECRET_REF);
  input.mutable_register_checker()->set_session_id(session);
  return input;
}

log::v1::Input WatchTasks(const std::string& session, std::uint64_t stream) {
  log::v1::Input input;
  input.mutable_watch_tasks()->mutable_request()->set_checker_id(kChecker);
  input.mutable_watch_tasks()->mutable_request()->set_session_id(session);
  input.mutable_watch_tasks()->set_stream(stream);
  return input;
}

log::v1::Input TaskStreamEnded(const std::string& session, std::uint64_t stream) {
  log::v1::Input input;
  input.mutable_task_stream_ended()->set_checker_id(kChecker);
  input.mutable_task_stream_ended()->set_session_id(session);
  input.mutable_task_stream_ended()->set_stream(stream);
  return input;
}

log::v1::Input WithTargets(LogMaker& maker) {
  log::v1::Input input = maker.Routings({"shop.example", "only-a.example", "*.late.example"});
  for (auto& routing : *input.mutable_apply_routings()->mutable_routings()) {
    routing.add_targets()->set_url("http://198.51.100.1/");
    routing.mutable_routing()->clear_proxy_labels();
  }
  return input;
}

// Says the same of everything that is outstanding, and first of something that is not.
log::v1::Input Findings(LogMaker& maker, const std::string& session, std::uint64_t sequence,
                        controlplane::v1::Verdict verdict) {
  log::v1::Input input;
  auto& request = *input.mutable_report_observations()->mutable_request();
  request.set_checker_id(kChecker);
  request.set_session_id(session);
  request.set_sequence(sequence);
  const ControllerState& state = maker.state();
  for (const TaskId task : state.checkers().Find(kChecker)->tasks) {
    const CheckTaskRow& row = *state.checks().FindTask(task);
    HealthObservation& seen = *request.add_observations();
    seen.set_task_id(std::to_string(task.value()));
    seen.set_proxy_id(state.pool().proxy(row.key.proxy).spec->proxy_id.value());
    seen.set_level(static_cast<controlplane::v1::CheckLevel>(row.key.level));
    if (const RoutingSpec* routing = state.routings().Find(row.key.routing)) seen.set_routing_id(routing->routing_id);
    seen.set_verdict(verdict);
    seen.set_anonymity(controlplane::v1::ANONYMITY_ELITE);
  }
  return input;
}

}  // namespace

void CheckThePool(LogMaker& maker, const std::vector<std::string>& workers) {
  std::uint64_t sequence = 0;
  const std::string session = "checker-session-1";
  const auto live = [&](int rounds, controlplane::v1::Verdict verdict) {
    for (int round = 0; round < rounds; ++round) {
      maker.Live(workers, 1);
      maker.Send(Findings(maker, session, ++sequence, verdict));
    }
  };
  maker.Send(WithTargets(maker));
  maker.Send(RegisterChecker(session));
  maker.Send(WatchTasks(session, 900'001));
  live(3, controlplane::v1::VERDICT_PASS);
  live(150, controlplane::v1::VERDICT_FAIL);  // the guard holds most of it
  maker.Send(TaskStreamEnded(session, 900'001));
  maker.Send(WatchTasks(session, 900'002));
  live(5, controlplane::v1::VERDICT_INCONCLUSIVE);
  live(130, controlplane::v1::VERDICT_PASS);
  log::v1::Input check;
  check.mutable_check_proxy()->set_proxy_id(
      maker.state().pool().proxies().At(maker.state().pool().proxies().NextKey(ProxyKey(1))).spec->proxy_id.value());
  check.mutable_check_proxy()->set_level(controlplane::v1::CHECK_LEVEL_BASIC);
  maker.Send(check);
  maker.Live(workers, 20);  // it is silent: its tasks expire, its session ends
}

}  // namespace holdfast::testing
