// The routings in match order, and their revision.
//
// Thread: the state's owner; the list itself is immutable and may be read by any thread.

#pragma once

#include <cstdint>
#include <vector>

#include "events/boxed.h"
#include "events/pool_events.h"
#include "projections/projection.h"

namespace holdfast {

class Routings {
 public:
  static constexpr std::uint32_t kVersion = 1;

  Routings() : routings_(std::vector<RoutingSpec>()) {}

  void Apply(const RoutingsApplied& event, const EntryPoint& entry);

  std::uint64_t revision() const { return revision_; }  // 0: none applied yet
  const Boxed<std::vector<RoutingSpec>>& routings() const { return routings_; }
  Digest digest() const;

 private:
  std::uint64_t revision_ = 0;
  Boxed<std::vector<RoutingSpec>> routings_;
};

}  // namespace holdfast
