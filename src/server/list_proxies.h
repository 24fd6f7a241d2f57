// Walks the pool for ListProxies, a slice at a time: so many proxies are looked at, so many shown, and the walk goes on
// later.
//
// Called on the follower's thread; belongs to one stream. Promises: the order of pool_walk.h. A proxy that is in the
// pool during the whole walk is shown once, as it is at the slice's as_of_sequence; a slice is consistent, slices are
// of different moments. Work of a slice is bounded whatever the size of the pool.

#pragma once

#include "holdfast/admin/v1/admin.pb.h"
#include "server/pool_walk.h"

namespace holdfast::server {

class ProxyWalk {
 public:
  using Request = admin::v1::ListProxiesRequest;
  using Response = admin::v1::ListProxiesResponse;

  static constexpr std::size_t kShownPerSlice = 500;
  static constexpr std::size_t kBytesPerSlice = 512 * 1024;  // about
  static constexpr std::size_t kLookedAtPerSlice = 5'000;

  explicit ProxyWalk(Request request) : request_(std::move(request)), proxies_(request_.proxy_ids()) {}
  ProxyWalk(const ProxyWalk&) = delete;
  ProxyWalk& operator=(const ProxyWalk&) = delete;

  // Appends the next slice, which may be empty while the walk is not done. now: log time.
  void Step(const ControllerState& state, LogTime now, Response* out);
  bool done() const { return done_; }

 private:
  const Request request_;
  PoolWalk proxies_;
  std::uint64_t shown_ = 0;
  bool done_ = false;
};

}  // namespace holdfast::server
