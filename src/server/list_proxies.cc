#include "server/list_proxies.h"

#include "server/proxy_status.h"

namespace holdfast::server {

void ProxyWalk::Step(const ControllerState& state, LogTime now, Response* out) {
  out->set_as_of_sequence(state.run().last().sequence.value());
  std::size_t bytes = 0;
  for (std::size_t looked_at = 0; looked_at < kLookedAtPerSlice; ++looked_at) {
    const ProxyKey proxy = proxies_.Next(state);
    done_ = proxies_.over();
    if (done_) return;
    if (proxy.value() == 0 || !IsAskedFor(state, proxy, request_)) continue;
    PutProxyStatus(state, proxy, now, out->add_proxies());
    bytes += out->proxies(out->proxies_size() - 1).ByteSizeLong();
    done_ = ++shown_ == request_.limit();
    if (done_) return;
    if (static_cast<std::size_t>(out->proxies_size()) >= kShownPerSlice || bytes >= kBytesPerSlice) return;
  }
}

}  // namespace holdfast::server
