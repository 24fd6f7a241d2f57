// Placement: unowned addresses with a proxy that may be used go to the eligible worker that carries least for its
// weight, back to their last one where it can take them; ties by id. Nothing that is owned is moved here.

#include <algorithm>

#include "controller/decide.h"
#include "controller/place_due.h"
#include "controller/rule_constant.h"

namespace holdfast {
namespace {

constexpr std::size_t kMostGrants = RuleConstant<std::size_t>(512, 1);
constexpr std::size_t kMostPassedOver = 64;

// The candidates as they stand after the grants decided so far. Costs the number of workers once, then a logarithm a
// grant.
class Loads {
 public:
  explicit Loads(const ControllerState& state) : ownership_(state.ownership()) {
    for (const Load& load : ownership_.candidates(false)) Add(load);
  }

  // The worker that an address goes to; 0: none can take it.
  WorkerKey Take(const HoldRow& hold) {
    const auto sticky = loads_.find(hold.last_owner);
    if (sticky != loads_.end() && Fits(sticky->second, hold)) return Give(sticky->second, hold);
    for (const Load& load : by_load_) {
      if (Fits(load, hold)) return Give(load, hold);
    }
    return WorkerKey();
  }

 private:
  void Add(const Load& load) {
    by_load_.insert(load);
    loads_.insert({load.worker, load});
  }
  bool Fits(const Load& load, const HoldRow& hold) const {
    const HolderRow& holder = ownership_.holder(load.worker);
    if (hold.needs_secret && !holder.takes_secrets) return false;
    const auto given = given_.find(load.worker);
    const std::size_t proxies = holder.granted_proxies + (given == given_.end() ? 0 : given->second);
    return proxies + hold.proxies.size() <= holder.max_proxies;
  }
  WorkerKey Give(Load load, const HoldRow& hold) {
    by_load_.erase(load);
    loads_.erase(load.worker);
    ++load.owned;
    given_[load.worker] += hold.proxies.size();
    Add(load);
    return load.worker;
  }

  const Ownership& ownership_;
  absl::btree_set<Load> by_load_;
  absl::btree_map<WorkerKey, Load> loads_;
  absl::btree_map<WorkerKey, std::size_t> given_;
};

LogTime OwnedUntilAtGrant(const ControllerState& state, const HoldRow& hold, const HolderRow& holder, LogTime now) {
  LogTime latest_expiry;
  for (const ProxyBrief& brief : hold.proxies) latest_expiry = std::max(latest_expiry, brief.expires_at);
  return std::min(now + state.settings().snapshot_validity, latest_expiry) + holder.lapse_grace;
}

void PlaceSome(const ControllerState& state, bool secrets, LogTime now, Loads& loads, std::vector<Event>& events) {
  std::size_t passed_over = 0;
  for (const AddressKey address : state.ownership().placeable(secrets)) {
    if (events.size() >= kMostGrants || passed_over == kMostPassedOver) return;
    const HoldRow& hold = state.ownership().hold(address);
    const WorkerKey worker = loads.Take(hold);
    if (worker.value() == 0) {  // nobody has room for all that stands on it
      ++passed_over;
      continue;
    }
    const HolderRow& holder = state.ownership().holder(worker);
    events.emplace_back(OwnershipGranted{address, state.pool().address(address).text, worker, holder.worker_id,
                                         holder.epoch, holder.session_id, OwnedUntilAtGrant(state, hold, holder, now)});
  }
}

}  // namespace

bool IsPlacementDue(const ControllerState& state) {
  if (!IsAbsent(state.run().wait_until())) return false;
  const Ownership& ownership = state.ownership();
  for (const bool secrets : {false, true}) {
    if (!ownership.placeable(secrets).empty() && !ownership.candidates(secrets).empty()) return true;
  }
  return false;
}

Decision DecidePlace(const ControllerState& state, const DecisionPoint& point) {
  Decision decision;
  if (!IsPlacementDue(state)) return decision;
  Loads loads(state);
  for (const bool secrets : {false, true}) PlaceSome(state, secrets, point.now, loads, decision.events);
  return decision;
}

}  // namespace holdfast
