#include "tests/checker/engine_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

namespace holdfast::checker {
namespace {

wire::CheckTask TaskFor(wire::CheckLevel level, wire::ProxyScheme scheme, std::uint16_t port) {
  static std::atomic<int> count{0};
  const std::string number = std::to_string(++count);
  wire::CheckTask task;
  task.set_task_id("task-" + number);
  task.set_proxy_id("proxy-" + number);
  task.set_level(level);
  task.mutable_endpoint()->set_scheme(scheme);
  task.mutable_endpoint()->set_host("127.0.0.1");
  task.mutable_endpoint()->set_port(port);
  SetTimeout(task, std::chrono::seconds(20));
  return task;
}

}  // namespace

CheckSettings LoopbackSettings(std::uint16_t judge_port) {
  CheckSettings settings;
  settings.allow_private = true;
  settings.echo = HostAndPort{"127.0.0.1", judge_port};
  settings.judge_url = "http://127.0.0.1:" + std::to_string(judge_port) + "/";
  return settings;
}

wire::CheckTask BasicTask(wire::ProxyScheme scheme, std::uint16_t port) {
  return TaskFor(wire::CHECK_LEVEL_BASIC, scheme, port);
}

wire::CheckTask EgressTask(wire::ProxyScheme scheme, std::uint16_t port) {
  return TaskFor(wire::CHECK_LEVEL_EGRESS, scheme, port);
}

wire::CheckTask TargetTask(wire::ProxyScheme scheme, std::uint16_t port, const std::string& url) {
  wire::CheckTask task = TaskFor(wire::CHECK_LEVEL_TARGET, scheme, port);
  task.set_routing_id("routing-1");
  task.mutable_target()->set_url(url);
  return task;
}

void SetTimeout(wire::CheckTask& task, std::chrono::milliseconds timeout) {
  task.mutable_timeout()->set_seconds(timeout.count() / 1000);
  task.mutable_timeout()->set_nanos(static_cast<std::int32_t>(timeout.count() % 1000) * 1'000'000);
}

RunningEngine::RunningEngine(CheckSettings settings, SecretBook secrets)
    : boot_clock_(*SystemBootClock()), wall_clock_(SystemWallClock()), random_(SystemRandomSource()) {
  engine_ = std::make_unique<CheckEngine>(
      std::move(settings), std::move(secrets), *random_, *wall_clock_,
      [this] { return client::BootTime(Duration(boot_clock_->Micros())); },
      [this](wire::HealthObservation observation) {
        const std::lock_guard lock(mutex_);
        said_.push_back(std::move(observation));
        changed_.notify_all();
      });
}

RunningEngine::~RunningEngine() { engine_->Stop(); }

wire::HealthObservation RunningEngine::Check(const wire::CheckTask& task) {
  engine_->Submit(task);
  std::unique_lock lock(mutex_);
  const auto of_task = [&task](const wire::HealthObservation& one) { return one.task_id() == task.task_id(); };
  const bool answered = changed_.wait_for(
      lock, std::chrono::seconds(60), [&] { return std::find_if(said_.begin(), said_.end(), of_task) != said_.end(); });
  EXPECT_TRUE(answered) << task.ShortDebugString() << " has no answer";
  return answered ? *std::find_if(said_.begin(), said_.end(), of_task) : wire::HealthObservation();
}

bool RunningEngine::WaitFor(std::size_t observations) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return said_.size() >= observations; });
}

std::vector<wire::HealthObservation> RunningEngine::said() const {
  const std::lock_guard lock(mutex_);
  return said_;
}

std::string Words(const wire::HealthObservation& observation) {
  constexpr std::size_t kVerdict = sizeof("VERDICT_") - 1;
  constexpr std::size_t kPhase = sizeof("OUTCOME_PHASE_") - 1;
  constexpr std::size_t kError = sizeof("OUTCOME_ERROR_") - 1;
  return wire::Verdict_Name(observation.verdict()).substr(kVerdict) + " " +
         wire::OutcomePhase_Name(observation.phase()).substr(kPhase) + " " +
         wire::OutcomeError_Name(observation.error()).substr(kError);
}

}  // namespace holdfast::checker
