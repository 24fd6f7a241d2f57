#include "controller/shares.h"

#include <algorithm>

#include "controller/rule_constant.h"

namespace holdfast {
namespace {

constexpr std::uint64_t kTolerance = RuleConstant<std::uint64_t>(10, 50);  // percent of a share
constexpr std::uint64_t kMillion = 1'000'000;

}  // namespace

// carried > share * 1.1 and carried > share + 1, with share = total * weight / weights.
bool CarriesTooMuch(const ControllerState& state, std::uint64_t carried, std::uint32_t weight) {
  const std::uint64_t total = state.ownership().member_addresses();
  const std::uint64_t weights = state.ownership().member_weight();
  return carried * weights * 100 > total * weight * (100 + kTolerance) && carried * weights > total * weight + weights;
}

bool CarriesTooLittle(const ControllerState& state, std::uint64_t carried, std::uint32_t weight) {
  const std::uint64_t total = state.ownership().member_addresses();
  const std::uint64_t weights = state.ownership().member_weight();
  return carried * weights * 100 < total * weight * (100 - kTolerance) && carried * weights + weights < total * weight;
}

bool SharesAreStale(const ControllerState& state) {
  const Ownership& ownership = state.ownership();
  if (!IsAbsent(state.run().wait_until()) || ownership.revoking_for(RevokeReason::kRebalance) > 0) return false;
  if (ownership.members().empty() || ownership.candidates(false).empty()) return false;
  if (ownership.placeable_addresses() > ReservedAddresses(state)) return false;
  const Load& most = *ownership.members().rbegin();
  const Load& least = *ownership.candidates(false).begin();
  if (most.worker == least.worker || most.owned == 0) return false;
  if (!CarriesTooMuch(state, most.owned, most.weight) && !CarriesTooLittle(state, least.owned, least.weight)) {
    return false;
  }
  // After the move the one that gave must not carry less, for its weight, than the one that took.
  return std::uint64_t{most.owned - 1} * least.weight >= (std::uint64_t{least.owned} + 1) * most.weight;
}

std::uint64_t ReservedAddresses(const ControllerState& state) {
  return state.ownership().grantable_addresses() * state.settings().reserve_ppm / kMillion;
}

}  // namespace holdfast
