#include "server/list_proxies.h"

#include "server/proxy_status.h"

namespace holdfast::server {

// 0: there is none (at the end, or an id that is not in the pool).
ProxyKey ProxyWalk::NextProxy(const ControllerState& state) {
  if (request_.proxy_ids_size() > 0) {
    if (next_id_ == request_.proxy_ids_size()) {
      done_ = true;
      return ProxyKey();
    }
    return state.pool().FindProxy(request_.proxy_ids(next_id_++));
  }
  const ProxyKey key = state.pool().proxies().NextKey(next_key_);
  if (key.value() == 0) done_ = true;
  next_key_ = Next(key);
  return key;
}

void ProxyWalk::Step(const ControllerState& state, LogTime now, admin::v1::ListProxiesResponse* out) {
  out->set_as_of_sequence(state.run().last().sequence.value());
  std::size_t bytes = 0;
  for (std::size_t looked_at = 0; looked_at < kLookedAtPerSlice; ++looked_at) {
    const ProxyKey proxy = NextProxy(state);
    if (done_) return;
    if (proxy.value() == 0 || !IsAskedFor(state, proxy, request_)) continue;
    PutProxyStatus(state, proxy, now, out->add_proxies());
    bytes += out->proxies(out->proxies_size() - 1).ByteSizeLong();
    ++shown_;
    if (shown_ == request_.limit()) {
      done_ = true;
      return;
    }
    if (static_cast<std::size_t>(out->proxies_size()) >= kShownPerSlice || bytes >= kBytesPerSlice) return;
  }
}

}  // namespace holdfast::server
