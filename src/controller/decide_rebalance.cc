// Rebalancing: when workers have come or gone, the fewest addresses move that bring every member near its share, from
// the most loaded to the least. A move is a revoke; the placement that follows gives the address to who carries least.
// Design: ownership.md "Placement".

#include <algorithm>

#include "controller/decide.h"
#include "controller/handover.h"
#include "controller/rule_constant.h"
#include "controller/shares.h"

namespace holdfast {
namespace {

constexpr std::size_t kMostLookedAt = RuleConstant<std::size_t>(4096, 0);  // of one member's addresses

// The members as they stand after the moves decided so far. Costs the number of members once, then a logarithm a move.
class Moves {
 public:
  explicit Moves(const ControllerState& state) : shares_(SharesOf(state)), ownership_(state.ownership()) {
    for (const Load& load : ownership_.members()) {
      const HolderRow& holder = ownership_.holder(load.worker);
      if (holder.attached && !holder.fenced)
        givers_.insert(load);  // others would not answer: a forced lapse helps nobody
      if (holder.takes_grants()) takers_.insert(load);
    }
  }

  // Who gives to whom; false: everybody is near its share, or nothing helps.
  bool Next(Load& giver, Load& taker) const {
    if (givers_.empty() || takers_.empty()) return false;
    giver = *givers_.rbegin();
    taker = *takers_.begin();
    return giver.worker != taker.worker && IsMoveDue(shares_, giver.owned, giver.weight, taker.owned, taker.weight);
  }

  void Move(const Load& giver, const Load& taker, std::size_t proxies) {
    Change(giver, -1);
    Change(taker, 1);
    given_[taker.worker] += proxies;
    const HolderRow& holder = ownership_.holder(taker.worker);
    if (holder.granted_proxies + given_[taker.worker] < holder.max_proxies) return;
    Load full = taker;
    ++full.owned;
    takers_.erase(full);
  }

  void GiveUpOn(const Load& giver) { givers_.erase(giver); }

  // How many proxies the taker has room for.
  std::size_t RoomOf(const Load& taker) const {
    const HolderRow& holder = ownership_.holder(taker.worker);
    const auto given = given_.find(taker.worker);
    const std::size_t taken = holder.granted_proxies + (given == given_.end() ? 0 : given->second);
    return taken < holder.max_proxies ? holder.max_proxies - taken : 0;
  }

 private:
  void Change(Load load, int by) {
    const bool gives = givers_.erase(load) > 0;
    const bool takes = takers_.erase(load) > 0;
    load.owned += by;
    if (gives) givers_.insert(load);
    if (takes) takers_.insert(load);
  }

  const Shares shares_;
  const Ownership& ownership_;
  absl::btree_set<Load> givers_, takers_;
  absl::btree_map<WorkerKey, std::size_t> given_;
};

// The giver's next address that may move to the taker, which has room for so many proxies, from `from` on; 0: none.
// What the taker could not be given would come back to the giver, and be asked back for ever.
AddressKey NextAddress(const Ownership& ownership, const HolderRow& giver, const HolderRow& taker, std::size_t room,
                       AddressKey from) {
  std::size_t looked_at = 0;
  for (auto it = giver.owned.lower_bound(from); it != giver.owned.end() && looked_at < kMostLookedAt; ++it) {
    ++looked_at;
    const HoldRow& hold = ownership.hold(*it);
    const bool fits = hold.proxies.size() <= room && (!hold.needs_secret || taker.takes_secrets);
    if (hold.state == OwnershipState::kGranted && fits) return *it;
  }
  return AddressKey();
}

}  // namespace

Decision DecideRebalance(const ControllerState& state, const DecisionPoint& point) {
  if (!SharesAreStale(state)) return {};
  const Ownership& ownership = state.ownership();
  Moves moves(state);
  absl::btree_map<AddressKey, RevokeReason> moved;
  absl::btree_map<WorkerKey, AddressKey> next;
  Load giver, taker;
  while (moved.size() < state.settings().rebalance_max_moves && moves.Next(giver, taker)) {
    AddressKey& from = next[giver.worker];
    from = NextAddress(ownership, ownership.holder(giver.worker), ownership.holder(taker.worker), moves.RoomOf(taker),
                       from);
    if (from.value() == 0) {
      moves.GiveUpOn(giver);
      continue;
    }
    moved.insert({from, RevokeReason::kRebalance});
    moves.Move(giver, taker, ownership.hold(from).proxies.size());
    from = Next(from);
  }
  Decision decision;
  RevokeAddresses(state, moved, {point.now + state.settings().drain_grace, {}}, decision.events);
  return decision;
}

}  // namespace holdfast
