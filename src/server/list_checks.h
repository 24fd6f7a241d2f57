// Walks the pool for ListChecks, a slice at a time: what is known of each proxy's health, key by key.
//
// Called on the follower's thread; belongs to one stream. Promises: as ProxyWalk (list_proxies.h). A proxy is shown
// with those of its keys that the request asks for, and not at all where it asks for none of them.

#pragma once

#include "holdfast/admin/v1/admin.pb.h"
#include "server/pool_walk.h"

namespace holdfast::server {

class CheckWalk {
 public:
  using Request = admin::v1::ListChecksRequest;
  using Response = admin::v1::ListChecksResponse;

  static constexpr std::size_t kShownPerSlice = 500;
  static constexpr std::size_t kBytesPerSlice = 512 * 1024;  // about
  static constexpr std::size_t kLookedAtPerSlice = 5'000;

  explicit CheckWalk(Request request);
  CheckWalk(const CheckWalk&) = delete;
  CheckWalk& operator=(const CheckWalk&) = delete;

  // Appends the next slice, which may be empty while the walk is not done. now: log time.
  void Step(const ControllerState& state, LogTime now, Response* out);
  bool done() const { return done_; }

 private:
  bool IsAskedFor(const ControllerState& state, const CheckKey& key, LogTime now) const;
  void Put(const ControllerState& state, ProxyKey proxy, LogTime now, Response* out) const;

  const Request request_;
  const Duration unchecked_for_;  // 0: however lately
  PoolWalk proxies_;
  std::uint64_t shown_ = 0;
  bool done_ = false;
};

}  // namespace holdfast::server
