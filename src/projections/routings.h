// The routings in match order, their revision, and the key that each id has for as long as it stands in the list.
//
// Thread: the state's owner; the list itself is immutable and may be read by any thread.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "events/boxed.h"
#include "events/pool_events.h"
#include "projections/projection.h"

namespace holdfast {

class Routings {
 public:
  static constexpr std::uint32_t kVersion = 2;

  Routings() : routings_(std::vector<RoutingSpec>()) {}

  void Apply(const RoutingsApplied& event, const EntryPoint& entry);

  std::uint64_t revision() const { return revision_; }  // 0: none applied yet
  const Boxed<std::vector<RoutingSpec>>& routings() const { return routings_; }
  // Of each of them, in the same order.
  const std::vector<RoutingKey>& keys() const { return keys_; }
  // 0: not in the list.
  RoutingKey KeyOf(std::string_view routing_id) const;
  // nullptr: not in the list (any more).
  const RoutingSpec* Find(RoutingKey key) const;
  Digest digest() const;

 private:
  std::uint64_t revision_ = 0;
  Boxed<std::vector<RoutingSpec>> routings_;
  std::vector<RoutingKey> keys_;
  RoutingKey next_key_{1};
};

}  // namespace holdfast
