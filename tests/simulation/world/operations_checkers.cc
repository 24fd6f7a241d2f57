// What operators do about checks: ask for one, drain, fence and cordon checkers, say that a freeze is wrong.

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "controller/proto_time.h"
#include "tests/simulation/world/operation.h"

namespace holdfast::simulation {
namespace {

using log::v1::Input;

// A checker, now and then one that was never seen.
std::string AnyId(Scene& scene) {
  CheckerHost* host = scene.AnyChecker();
  return host == nullptr || scene.world.random.Chance(1, 15) ? "nobody" : host->identity().checker_id;
}

std::string AnyProxy(Scene& scene) {
  const auto& proxies = scene.world.checkers.model().proxies();
  if (proxies.empty() || scene.world.random.Chance(1, 15)) return "unknown";
  return std::next(proxies.begin(), static_cast<std::ptrdiff_t>(scene.world.random.Below(proxies.size())))
      ->second.proxy_id;
}

void CheckProxy(Scene& scene) {
  Prng& random = scene.world.random;
  Input input;
  auto& request = *input.mutable_check_proxy();
  request.set_proxy_id(AnyProxy(scene));
  request.set_level(static_cast<controlplane::v1::CheckLevel>(random.Between(1, 3)));
  if (request.level() == controlplane::v1::CHECK_LEVEL_TARGET) {
    request.set_routing_id(random.Chance(1, 8) ? "none" : RoutingId(random.Below(kRoutingIds)));
  }
  if (random.Chance(1, 30)) request.set_routing_id("everywhere");  // of no TARGET: malformed
  scene.Send(input, kOperator);
}

void DrainOne(Scene& scene) {
  Prng& random = scene.world.random;
  Input input;
  auto& request = *input.mutable_drain_session();
  request.set_kind(controlplane::v1::SESSION_KIND_CHECKER);
  request.set_member_id(AnyId(scene));
  request.set_reason(kReason);
  request.set_keep_eligible(random.Chance(1, 2));
  if (random.Chance(1, 6)) request.set_expected_session_id("0123456789abcdef0123456789abcdef");
  if (random.Chance(1, 2)) {
    PutDuration(std::chrono::milliseconds(random.Between(0, 8'000)), request.mutable_grace());
  } else if (random.Chance(1, 4)) {
    request.set_no_deadline(true);
  }
  scene.Send(input, kOperator);
  if (!random.Chance(1, 3)) return;
  request.clear_no_deadline();  // once more, and sooner
  PutDuration(std::chrono::milliseconds(random.Between(0, 2'000)), request.mutable_grace());
  scene.Send(input, kOperator);
}

void FenceOne(Scene& scene) {
  Input input;
  auto& request = *input.mutable_fence_session();
  request.set_kind(controlplane::v1::SESSION_KIND_CHECKER);
  request.set_member_id(AnyId(scene));
  request.set_reason(kReason);
  request.set_keep_eligible(scene.world.random.Chance(1, 2));
  scene.Send(input, kOperator);
}

void SetEligibility(Scene& scene, bool eligible) {
  Input input;
  auto& request = *input.mutable_set_eligibility();
  request.set_kind(controlplane::v1::SESSION_KIND_CHECKER);
  request.set_member_id(AnyId(scene));
  request.set_eligible(eligible);
  request.set_reason(kReason);
  scene.Send(input, kOperator);
}

void CordonOne(Scene& scene) { SetEligibility(scene, false); }
void UncordonOne(Scene& scene) { SetEligibility(scene, true); }

std::vector<std::string> Frozen(Scene& scene) {
  std::vector<std::string> subjects;
  for (const auto& [kind, subject] : scene.world.checkers.model().alarms()) {
    if (kind == admin::v1::ALARM_KIND_HEALTH_FROZEN) subjects.push_back(subject);
  }
  return subjects;
}

// One that stands, or else one that does not.
void ClearFreeze(Scene& scene) {
  std::vector<std::string> subjects = Frozen(scene);
  subjects.push_back("basic");
  SendClearFreeze(scene, subjects[scene.world.random.Below(subjects.size())]);
}

// Whose targets are down for longer is taken out, and all others with it.
void DropFrozenRoutings(Scene& scene) {
  const std::vector<std::string> subjects = Frozen(scene);
  const bool at_target = std::any_of(subjects.begin(), subjects.end(),
                                     [](const std::string& subject) { return subject.starts_with("target"); });
  if (!at_target) return;
  Input input;
  input.mutable_apply_routings();
  scene.Send(input, kOperator);
}

}  // namespace

void SendClearFreeze(Scene& scene, const std::string& subject) {
  Input input;
  auto& request = *input.mutable_clear_alarm();
  request.set_kind(admin::v1::ALARM_KIND_HEALTH_FROZEN);
  request.set_subject(subject);
  request.set_reason(kReason);
  scene.Send(input, kOperator);
}

void SendUncordonChecker(Scene& scene, const std::string& checker_id) {
  Input input;
  auto& request = *input.mutable_set_eligibility();
  request.set_kind(controlplane::v1::SESSION_KIND_CHECKER);
  request.set_member_id(checker_id);
  request.set_eligible(true);
  request.set_reason(kReason);
  scene.Send(input, kOperator);
}

std::vector<Operation> CheckerOperations() {
  return {{"ask for a check", 30, CheckProxy},
          {"drain a checker", 6, DrainOne},
          {"fence a checker", 4, FenceOne},
          {"cordon a checker", 3, CordonOne},
          {"uncordon a checker", 14, UncordonOne},
          {"say that a freeze is wrong", 10, ClearFreeze},
          {"take out routings whose targets are down", 6, DropFrozenRoutings}};
}

}  // namespace holdfast::simulation
