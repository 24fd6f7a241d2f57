// How much of the pool each member should carry, and whether one carries too much or too little.
//
// A share is what all members carry together, by weight. A member is balanced when what it carries is within ten
// percent of its share, or within one address. Whole numbers only: a decision must come out the same everywhere.
//
// Pure. Costs O(1), but StaleShares, which costs a logarithm.

#pragma once

#include "projections/controller_state.h"

namespace holdfast {

// What all members carry together, and their weights.
struct Shares {
  std::uint64_t total = 0;
  std::uint64_t weights = 0;
};
Shares SharesOf(const ControllerState& state);

// More than its share and the tolerance. Requires: weight > 0.
bool CarriesTooMuch(const Shares& shares, std::uint64_t carried, std::uint32_t weight);
bool CarriesTooLittle(const Shares& shares, std::uint64_t carried, std::uint32_t weight);

// Whether an address should move from the one to the other: it would bring one of them nearer to its share, and the one
// that gives would not carry less, for its weight, than the one that takes.
bool IsMoveDue(const Shares& shares, std::uint64_t giver, std::uint32_t giver_weight, std::uint64_t taker,
               std::uint32_t taker_weight);

// Whether a move from the one that carries most for its weight to the one with room that carries least would bring
// somebody nearer to its share; no moves are under way, and nothing waits to be placed.
bool SharesAreStale(const ControllerState& state);

// Of the addresses that may be used now, how many stay with nobody: the reserve, and what clients lack.
std::uint64_t ReservedAddresses(const ControllerState& state);

}  // namespace holdfast
