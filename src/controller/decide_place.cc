// Placement: unowned addresses with a proxy that may be used go to the eligible worker that carries least for its
// weight, back to their last one where it can take them and has not too much, in their zone first; ties by id. A
// reserve stays with nobody. Nothing that is owned is moved here.

#include <algorithm>
#include <map>
#include <string>

#include "controller/decide.h"
#include "controller/handover.h"
#include "controller/place_due.h"
#include "controller/rule_constant.h"
#include "controller/shares.h"

namespace holdfast {
namespace {

constexpr std::size_t kMostGrants = RuleConstant<std::size_t>(512, 1);
constexpr std::size_t kMostPassedOver = 64;

// The candidates as they stand after the grants decided so far. Costs the number of workers once, then a logarithm a
// grant.
class Loads {
 public:
  // placing: how many addresses are to be placed in all.
  Loads(const ControllerState& state, std::uint64_t placing)
      : state_(state), ownership_(state.ownership()), shares_(SharesOf(state)), placing_(placing) {
    shares_.total += placing;
    for (const Load& load : ownership_.candidates(false)) Add(load);
  }

  // The worker that an address goes to: its last one, else one of its zone, else any; 0: none can take it.
  WorkerKey Take(AddressKey address) {
    const HoldRow& hold = ownership_.hold(address);
    const auto sticky = loads_.find(hold.last_owner);
    if (sticky != loads_.end() && Fits(sticky->second, hold) &&
        !CarriesTooMuch(shares_, sticky->second.owned, sticky->second.weight)) {
      return Give(sticky->second, hold);
    }
    const Load* least = LeastThatFits(by_load_, hold);
    if (least == nullptr) return WorkerKey();
    const auto zone = by_zone_.find(ZoneOf(address));
    const Load* near = zone == by_zone_.end() ? nullptr : LeastThatFits(zone->second, hold);
    // Its zone counts until a rebalance would take it away again, also when all else that is to be placed went
    // elsewhere.
    if (near == nullptr ||
        IsMoveDue(shares_, near->owned + 1, near->weight, least->owned + placing_ - 1, least->weight)) {
      near = least;
    }
    return Give(*near, hold);
  }

 private:
  // Of an address it is that of the first proxy on it that has one; empty: none.
  std::string_view ZoneOf(AddressKey address) const {
    for (const ProxyKey proxy : state_.pool().address(address).proxies) {
      const ProxyRow& row = state_.pool().proxy(proxy);
      if (!row.spec->zone.empty()) return row.spec->zone;
    }
    return {};
  }
  const Load* LeastThatFits(const absl::btree_set<Load>& loads, const HoldRow& hold) const {
    for (const Load& load : loads) {
      if (Fits(load, hold)) return &load;
    }
    return nullptr;
  }
  const std::string& ZoneOf(WorkerKey worker) const { return state_.sessions().At(worker).opened.zone; }
  void Add(const Load& load) {
    by_load_.insert(load);
    loads_.insert({load.worker, load});
    if (!ZoneOf(load.worker).empty()) by_zone_[ZoneOf(load.worker)].insert(load);
  }
  void Take(const Load& load) {
    by_load_.erase(load);
    loads_.erase(load.worker);
    if (!ZoneOf(load.worker).empty()) by_zone_[ZoneOf(load.worker)].erase(load);
  }
  bool Fits(const Load& load, const HoldRow& hold) const {
    const HolderRow& holder = ownership_.holder(load.worker);
    if (hold.needs_secret && !holder.takes_secrets) return false;
    const auto given = given_.find(load.worker);
    const std::size_t proxies = holder.granted_proxies + (given == given_.end() ? 0 : given->second);
    return proxies + hold.proxies.size() <= holder.max_proxies;
  }
  WorkerKey Give(Load load, const HoldRow& hold) {
    Take(load);
    ++load.owned;
    if (placing_ > 1) --placing_;
    given_[load.worker] += hold.proxies.size();
    Add(load);
    return load.worker;
  }

  const ControllerState& state_;
  const Ownership& ownership_;
  Shares shares_;
  std::uint64_t placing_;  // that are still to be placed
  absl::btree_set<Load> by_load_;
  std::map<std::string, absl::btree_set<Load>, std::less<>> by_zone_;
  absl::btree_map<WorkerKey, Load> loads_;
  absl::btree_map<WorkerKey, std::size_t> given_;
};

// At most `room` grants in all.
void PlaceSome(const ControllerState& state, bool secrets, std::size_t room, const DecisionPoint& point, Loads& loads,
               std::vector<Event>& events) {
  std::size_t passed_over = 0;
  for (const AddressKey address : state.ownership().placeable(secrets)) {
    if (events.size() >= room || passed_over == kMostPassedOver) return;
    const WorkerKey worker = loads.Take(address);
    if (worker.value() == 0) {  // nobody has room for all that stands on it
      ++passed_over;
      continue;
    }
    AppendGrant(state, address, worker, point.now, events);
  }
}

}  // namespace

bool IsPlacementDue(const ControllerState& state) {
  if (!IsAbsent(state.run().wait_until())) return false;
  const Ownership& ownership = state.ownership();
  if (ownership.placeable_addresses() <= ReservedAddresses(state)) return false;
  for (const bool secrets : {false, true}) {
    if (!ownership.placeable(secrets).empty() && !ownership.candidates(secrets).empty()) return true;
  }
  return false;
}

Decision DecidePlace(const ControllerState& state, const DecisionPoint& point) {
  Decision decision;
  if (!IsPlacementDue(state)) return decision;
  const std::size_t over = state.ownership().placeable_addresses() - ReservedAddresses(state);
  const std::size_t room = std::min(over, kMostGrants);
  Loads loads(state, over);
  for (const bool secrets : {false, true}) PlaceSome(state, secrets, room, point, loads, decision.events);
  return decision;
}

}  // namespace holdfast
