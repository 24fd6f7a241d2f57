// Walks the pool for ListProxies, a slice at a time: so many proxies are looked at, so many shown, and the walk goes on
// later.
//
// Called on the follower's thread; belongs to one stream. Promises: in the order of their keys (the order in which they
// came into the pool; with proxy_ids: of that list). A proxy that is in the pool during the whole walk is shown once,
// as it is at the slice's as_of_sequence; a slice is consistent, slices are of different moments. One that comes or
// goes meanwhile may be missed. Work of a slice is bounded whatever the size of the pool.

#pragma once

#include "holdfast/admin/v1/admin.pb.h"
#include "projections/controller_state.h"

namespace holdfast::server {

class ProxyWalk {
 public:
  static constexpr std::size_t kShownPerSlice = 500;
  static constexpr std::size_t kBytesPerSlice = 512 * 1024;  // about
  static constexpr std::size_t kLookedAtPerSlice = 5'000;

  explicit ProxyWalk(admin::v1::ListProxiesRequest request) : request_(std::move(request)) {}

  // Appends the next slice, which may be empty while the walk is not done. now: log time.
  void Step(const ControllerState& state, LogTime now, admin::v1::ListProxiesResponse* out);
  bool done() const { return done_; }

 private:
  ProxyKey NextProxy(const ControllerState& state);

  const admin::v1::ListProxiesRequest request_;
  int next_id_ = 0;       // with proxy_ids
  ProxyKey next_key_{1};  // without
  std::uint64_t shown_ = 0;
  bool done_ = false;
};

}  // namespace holdfast::server
