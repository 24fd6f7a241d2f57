#include "server/list_checks.h"

#include "controller/proto_time.h"
#include "server/health_status.h"

namespace holdfast::server {
namespace {

// Whether nothing was concluded about a key for so long, though it is checked.
bool IsUnchecked(const ControllerState& state, const CheckKey& key, Duration unchecked_for, LogTime now) {
  const ProxyHealth& health = state.health().proxy(key.proxy);
  const KeyHealth* known = health.Find(key.level, key.routing);
  const bool observed = known != nullptr && !IsAbsent(known->observed_at);
  return !state.checks().proxy(key.proxy).stopped &&
         IsOver((observed ? known->observed_at : health.since) + unchecked_for, now);
}

}  // namespace

CheckWalk::CheckWalk(Request request)
    : request_(std::move(request)),
      unchecked_for_(ReadDuration(request_.unchecked_for()).value_or(Duration(0))),
      proxies_(request_.proxy_ids()) {}

bool CheckWalk::IsAskedFor(const ControllerState& state, const CheckKey& key, LogTime now) const {
  if (request_.level() != 0 && static_cast<CheckLevel>(request_.level()) != key.level) return false;
  const HealthState asked = static_cast<HealthState>(request_.state());
  if (asked != HealthState::kUnspecified && StateOf(state, key) != asked) return false;
  return !request_.has_unchecked_for() || IsUnchecked(state, key, unchecked_for_, now);
}

void CheckWalk::Put(const ControllerState& state, ProxyKey proxy, LogTime now, Response* out) const {
  admin::v1::ProxyHealth* shown = nullptr;
  for (const CheckKey& key : KeysOf(state, proxy)) {
    if (!IsAskedFor(state, key, now)) continue;
    if (shown == nullptr) {
      shown = out->add_proxies();
      shown->set_proxy_id(state.pool().proxy(proxy).spec->proxy_id.value());
    }
    PutHealthStatus(state, key, shown->add_health());
  }
}

void CheckWalk::Step(const ControllerState& state, LogTime now, Response* out) {
  out->set_as_of_sequence(state.run().last().sequence.value());
  std::size_t bytes = 0;
  for (std::size_t looked_at = 0; looked_at < kLookedAtPerSlice; ++looked_at) {
    const ProxyKey proxy = proxies_.Next(state);
    done_ = proxies_.over();
    if (done_) return;
    if (proxy.value() == 0) continue;
    const int before = out->proxies_size();
    Put(state, proxy, now, out);
    if (out->proxies_size() == before) continue;
    bytes += out->proxies(before).ByteSizeLong();
    done_ = ++shown_ == request_.limit();
    if (done_) return;
    if (static_cast<std::size_t>(out->proxies_size()) >= kShownPerSlice || bytes >= kBytesPerSlice) return;
  }
}

}  // namespace holdfast::server
