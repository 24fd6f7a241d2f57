#include "controller/shares.h"

#include <algorithm>

#include "controller/rule_constant.h"

namespace holdfast {
namespace {

constexpr std::uint64_t kTolerance = RuleConstant<std::uint64_t>(10, 50);  // percent of a share
constexpr std::uint64_t kMillion = 1'000'000;

}  // namespace

Shares SharesOf(const ControllerState& state) {
  return {state.ownership().member_addresses(), state.ownership().member_weight()};
}

// carried > share * 1.1 and carried > share + 1, with share = total * weight / weights.
bool CarriesTooMuch(const Shares& shares, std::uint64_t carried, std::uint32_t weight) {
  const auto& [total, weights] = shares;
  return carried * weights * 100 > total * weight * (100 + kTolerance) && carried * weights > total * weight + weights;
}

bool CarriesTooLittle(const Shares& shares, std::uint64_t carried, std::uint32_t weight) {
  const auto& [total, weights] = shares;
  return carried * weights * 100 < total * weight * (100 - kTolerance) && carried * weights + weights < total * weight;
}

bool IsMoveDue(const Shares& shares, std::uint64_t giver, std::uint32_t giver_weight, std::uint64_t taker,
               std::uint32_t taker_weight) {
  if (giver == 0) return false;
  if (!CarriesTooMuch(shares, giver, giver_weight) && !CarriesTooLittle(shares, taker, taker_weight)) return false;
  return (giver - 1) * taker_weight >= (taker + 1) * giver_weight;
}

bool SharesAreStale(const ControllerState& state) {
  const Ownership& ownership = state.ownership();
  if (!IsAbsent(state.run().wait_until()) || ownership.revoking_for(RevokeReason::kRebalance) > 0) return false;
  if (ownership.members().empty() || ownership.candidates(false).empty()) return false;
  if (ownership.placeable_addresses() > ReservedAddresses(state)) return false;
  const Load& most = *ownership.members().rbegin();
  const Load& least = *ownership.candidates(false).begin();
  return most.worker != least.worker && IsMoveDue(SharesOf(state), most.owned, most.weight, least.owned, least.weight);
}

std::uint64_t ReservedAddresses(const ControllerState& state) {
  return state.ownership().grantable_addresses() * state.settings().reserve_ppm / kMillion +
         state.extractions().lacking();
}

}  // namespace holdfast
