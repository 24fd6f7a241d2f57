#include "tests/controller/checker_fixture.h"

namespace holdfast::testing {

using controlplane::v1::HealthObservation;
using log::v1::Input;

Settings Checked() {
  Settings settings = WithoutReserve();
  settings.trust_unchecked = false;
  return settings;
}

Checker RegisterChecker(Story& story, const std::string& id, const EditChecker& edit) {
  Input input;
  controlplane::v1::RegisterCheckerRequest& request = *input.mutable_register_checker()->mutable_request();
  request.set_checker_id(id);
  request.set_instance_id("i1");
  request.set_supported_protocol_version(1);
  request.set_max_concurrency(10);
  for (const auto level : {controlplane::v1::CHECK_LEVEL_BASIC, controlplane::v1::CHECK_LEVEL_EGRESS,
                           controlplane::v1::CHECK_LEVEL_TARGET}) {
    request.add_levels(level);
  }
  request.add_capabilities(controlplane::v1::CHECKER_CAPABILITY_SECRET_REF);
  if (edit) edit(request);
  input.mutable_register_checker()->set_session_id("checker-session-" + std::to_string(story.entries().size()));
  const auto reply = ReplyOf<controlplane::v1::RegisterCheckerResponse>(story.When(input));
  return {id, reply.session_id(), 0, 0};
}

const Decision& WatchTasks(Story& story, Checker& checker) {
  Input input;
  input.mutable_watch_tasks()->mutable_request()->set_checker_id(checker.id);
  input.mutable_watch_tasks()->mutable_request()->set_session_id(checker.session);
  checker.stream = 1'000'000 + story.entries().size();
  input.mutable_watch_tasks()->set_stream(checker.stream);
  return story.When(input);
}

Checker ActiveChecker(Story& story, const std::string& id, const EditChecker& edit) {
  Checker checker = RegisterChecker(story, id, edit);
  WatchTasks(story, checker);
  story.Settle();
  return checker;
}

std::vector<GivenTask> TasksOf(const Story& story, const Checker& checker) {
  std::vector<GivenTask> tasks;
  const ControllerState& state = story.state();
  for (const TaskId id : state.checkers().Find(checker.id)->tasks) {
    const CheckTaskRow& row = *state.checks().FindTask(id);
    const RoutingSpec* routing = state.routings().Find(row.key.routing);
    tasks.push_back({id.value(), state.pool().proxy(row.key.proxy).spec->proxy_id.value(), row.key.level,
                     routing == nullptr ? "" : routing->routing_id, row.target, row.deadline});
  }
  return tasks;
}

HealthObservation Observe(const GivenTask& task, Verdict verdict, const Finding& edit) {
  HealthObservation seen;
  seen.set_task_id(std::to_string(task.id));
  seen.set_proxy_id(task.proxy_id);
  seen.set_level(static_cast<controlplane::v1::CheckLevel>(task.level));
  seen.set_routing_id(task.routing_id);
  seen.set_verdict(static_cast<controlplane::v1::Verdict>(verdict));
  seen.set_phase(controlplane::v1::OUTCOME_PHASE_DIAL);
  seen.set_error(verdict == Verdict::kFail ? controlplane::v1::OUTCOME_ERROR_REFUSED
                                           : controlplane::v1::OUTCOME_ERROR_NONE);
  if (edit) edit(seen);
  return seen;
}

const Decision& Report(Story& story, Checker& checker, const std::vector<HealthObservation>& observations,
                       bool draining) {
  Input input;
  controlplane::v1::ReportObservationsRequest& request = *input.mutable_report_observations()->mutable_request();
  request.set_checker_id(checker.id);
  request.set_session_id(checker.session);
  request.set_sequence(++checker.report);
  request.set_draining(draining);
  for (const HealthObservation& seen : observations) *request.add_observations() = seen;
  return story.When(input);
}

const Decision& Answer(Story& story, Checker& checker, const Finds& verdict, const Finding& edit) {
  std::vector<HealthObservation> seen;
  for (const GivenTask& task : TasksOf(story, checker)) seen.push_back(Observe(task, verdict(task), edit));
  return Report(story, checker, seen);
}

void Check(Story& story, std::vector<Checker*> checkers, Duration duration, const Finds& verdict, Duration step) {
  story.AdvanceInSteps(duration, step, [&] {
    for (Checker* checker : checkers) Answer(story, *checker, verdict);
  });
}

PoolState PoolOf(const Story& story, int number) {
  return story.state().pool().proxy(story.state().pool().FindProxy(IdOf(number))).state;
}

const KeyHealth& HealthOf(const Story& story, int number, CheckLevel level, const std::string& routing_id) {
  const ProxyKey proxy = story.state().pool().FindProxy(IdOf(number));
  return *story.state().health().proxy(proxy).Find(level, story.state().routings().KeyOf(routing_id));
}

std::uint64_t CountOf(const Story& story, PoolState state) {
  std::uint64_t count = 0;
  story.state().pool().proxies().ForEach([&](ProxyKey, const ProxyRow& row) { count += row.state == state; });
  return count;
}

bool HasAlarm(const Story& story, AlarmKind kind, const std::string& subject) {
  return story.state().run().alarms().contains({kind, subject});
}

}  // namespace holdfast::testing
