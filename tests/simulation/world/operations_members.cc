// What operators do to sessions and to what is owned: drain, fence, reclaim, cordon, alarms.

#include <string>

#include "controller/proto_time.h"
#include "tests/simulation/world/operation.h"

namespace holdfast::simulation {
namespace {

using log::v1::Input;

// A member, now and then one that was never seen.
std::string AnyMember(Scene& scene) {
  return scene.world.random.Chance(1, 15) ? "nobody" : scene.AnyHost().identity().worker_id;
}

std::string ExpectedSession(Scene& scene, const std::string& member_id) {
  if (scene.world.random.Chance(3, 4)) return "";
  for (const auto& host : scene.hosts) {
    const auto& session = host->current().session();
    if (host->identity().worker_id == member_id && session) return session->id;
  }
  return "0123456789abcdef0123456789abcdef";
}

void Drain(Scene& scene) {
  Prng& random = scene.world.random;
  Input input;
  auto& request = *input.mutable_drain_session();
  request.set_kind(controlplane::v1::SESSION_KIND_WORKER);
  request.set_member_id(AnyMember(scene));
  request.set_reason(kReason);
  request.set_keep_eligible(random.Chance(1, 2));
  request.set_expected_session_id(ExpectedSession(scene, request.member_id()));
  if (random.Chance(1, 6)) {
    request.set_no_deadline(true);
  } else if (random.Chance(1, 2)) {
    const std::int64_t grace = random.Chance(1, 5) ? 0 : random.Between(500, 30'000);
    PutDuration(std::chrono::milliseconds(grace), request.mutable_grace());
  }
  scene.Send(input, kOperator);
}

void Fence(Scene& scene) {
  Input input;
  auto& request = *input.mutable_fence_session();
  request.set_kind(controlplane::v1::SESSION_KIND_WORKER);
  request.set_member_id(AnyMember(scene));
  request.set_reason(kReason);
  request.set_keep_eligible(scene.world.random.Chance(1, 2));
  request.set_expected_session_id(ExpectedSession(scene, request.member_id()));
  scene.Send(input, kOperator);
}

void Reclaim(Scene& scene) {
  Input input;
  auto& request = *input.mutable_reclaim_proxies();
  request.set_reason(kReason);
  for (const auto& [key, proxy] : scene.world.checkers.model().proxies()) {
    if (scene.world.random.Chance(1, 8)) request.add_proxy_ids(proxy.proxy_id);
  }
  if (scene.world.random.Chance(1, 10)) request.add_proxy_ids("unknown");
  scene.Send(input, kOperator);
}

// Taken back, and named again a moment later with a life that is nearly over.
void ReclaimAndShorten(Scene& scene) {
  Input reclaim, shorter;
  reclaim.mutable_reclaim_proxies()->set_reason(kReason);
  auto& request = *shorter.mutable_import_proxies()->mutable_request();
  const std::int64_t margin = scene.controller.settings().allocation_safety_margin.count();
  const ViewPointer& view = scene.AnyHost().current().view();
  if (view == nullptr) return;
  for (const auto& [proxy_id, listed] : view->content->proxies) {
    if (!scene.world.random.Chance(1, 2)) continue;
    reclaim.mutable_reclaim_proxies()->add_proxy_ids(proxy_id);
    admin::v1::ProxySpec& item = *request.add_proxies();
    item.set_proxy_id(proxy_id);
    item.mutable_endpoint()->CopyFrom(listed->grant.endpoint());
    item.set_secret_ref(listed->grant.secret_ref());
    PutTime(scene.controller.Now() + Duration(margin + scene.world.Between(2 * kSecond, 9 * kSecond)),
            item.mutable_expires_at());
  }
  if (request.proxies_size() == 0) return;
  scene.Send(reclaim, kOperator);
  scene.world.time.After(scene.world.Between(0, kSecond), [&scene, shorter] { scene.Send(shorter, kOperator); });
}

void SetEligibility(Scene& scene, bool eligible) {
  Input input;
  auto& request = *input.mutable_set_eligibility();
  request.set_kind(controlplane::v1::SESSION_KIND_WORKER);
  request.set_member_id(AnyMember(scene));
  request.set_eligible(eligible);
  request.set_reason(kReason);
  scene.Send(input, kOperator);
}

void Cordon(Scene& scene) { SetEligibility(scene, false); }
void Uncordon(Scene& scene) { SetEligibility(scene, true); }

void ClearAlarm(Scene& scene) {
  constexpr admin::v1::AlarmKind kKinds[] = {admin::v1::ALARM_KIND_HISTORY_LOST, admin::v1::ALARM_KIND_SYNC_STALLED,
                                             admin::v1::ALARM_KIND_DRAIN_FORCED, admin::v1::ALARM_KIND_CLOCK_JUMPED};
  Input input;
  auto& request = *input.mutable_clear_alarm();
  request.set_kind(kKinds[scene.world.random.Below(std::size(kKinds))]);
  if (scene.world.random.Chance(1, 2)) request.set_subject(AnyMember(scene));
  request.set_reason(kReason);
  scene.Send(input, kOperator);
}

// What it moves by is read from the daemon's clocks when the call comes (controller.cc).
void AcceptClock(Scene& scene) {
  Input input;
  input.mutable_accept_clock()->mutable_request()->set_reason(kReason);
  scene.Send(input, kOperator);
}

}  // namespace

std::vector<Operation> MemberOperations() {
  return {{"drain a session", 12, Drain},
          {"fence a session", 6, Fence},
          {"reclaim", 14, Reclaim},
          {"reclaim and shorten", 8, ReclaimAndShorten},
          {"cordon", 4, Cordon},
          {"uncordon", 14, Uncordon},
          {"clear an alarm", 4, ClearAlarm},
          {"accept the clock", 1, AcceptClock}};
}

}  // namespace holdfast::simulation
