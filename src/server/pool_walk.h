// The proxies of the pool one after another, for lists that are made in slices: those that were named, or all.
//
// Called on the follower's thread; belongs to one list. Promises: in the order of their keys (the order in which they
// came into the pool), or of the names; one that is there all the while comes once. One that comes or goes meanwhile
// may be missed. Requires: the names outlive it.

#pragma once

#include <google/protobuf/repeated_field.h>

#include <string>

#include "projections/controller_state.h"

namespace holdfast::server {

class PoolWalk {
 public:
  using Names = google::protobuf::RepeatedPtrField<std::string>;

  // named: empty: all.
  explicit PoolWalk(const Names& named) : named_(named) {}

  // 0: there is none (over, or a name that is not in the pool).
  ProxyKey Next(const ControllerState& state) {
    if (!named_.empty()) {
      over_ = next_name_ == named_.size();
      return over_ ? ProxyKey() : state.pool().FindProxy(named_.Get(next_name_++));
    }
    const ProxyKey key = state.pool().proxies().NextKey(next_key_);
    over_ = key.value() == 0;
    next_key_ = holdfast::Next(key);
    return key;
  }
  // The last Next found that there is no more.
  bool over() const { return over_; }

 private:
  const Names& named_;
  int next_name_ = 0;
  ProxyKey next_key_{1};
  bool over_ = false;
};

}  // namespace holdfast::server
