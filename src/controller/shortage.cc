#include "controller/shortage.h"

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <algorithm>

#include "controller/handover.h"
#include "controller/rule_constant.h"

namespace holdfast {
namespace {

constexpr std::size_t kMostLacking = RuleConstant<std::size_t>(500, 0);  // of all clients together
constexpr std::size_t kMostPassedOver = 4'096;
constexpr Duration kKept = std::chrono::seconds(30);  // beyond a whole drain

// Takes one address after the other from whoever carries most for its weight by then.
class Givers {
 public:
  Givers(const ControllerState& state, const ExtractFilter& filter, LogTime now)
      : state_(state), filter_(filter), now_(now), givers_(state.ownership().members()) {}

  absl::btree_map<AddressKey, RevokeReason> Take(std::size_t count) {
    absl::btree_map<AddressKey, RevokeReason> taken;
    while (taken.size() < count && !givers_.empty() && passed_over_ < kMostPassedOver) {
      Load giver = *givers_.rbegin();
      givers_.erase(giver);
      const AddressKey address = NextOf(giver.worker);
      if (address.value() == 0) continue;
      taken.insert({address, RevokeReason::kReclaim});
      next_[giver.worker] = Next(address);
      if (giver.owned > 0) --giver.owned;
      givers_.insert(giver);
    }
    return taken;
  }

 private:
  // 0: it has none that fits.
  AddressKey NextOf(WorkerKey worker) {
    const auto& owned = state_.ownership().holder(worker).owned;
    for (auto it = owned.lower_bound(next_[worker]); it != owned.end(); ++it) {
      const bool granted = state_.ownership().hold(*it).state == OwnershipState::kGranted;
      if (granted && !ProxiesFor(state_, filter_, *it, now_).empty()) return *it;
      if (++passed_over_ >= kMostPassedOver) break;
    }
    return AddressKey();
  }

  const ControllerState& state_;
  const ExtractFilter& filter_;
  const LogTime now_;
  absl::btree_set<Load> givers_;
  absl::btree_map<WorkerKey, AddressKey> next_;
  std::size_t passed_over_ = 0;
};

}  // namespace

void ReclaimShortage(const ControllerState& state, const distribution::v1::ExtractRequest& request,
                     const ExtractFilter& filter, std::size_t lacking, const DecisionPoint& point,
                     std::vector<Event>& events) {
  const Extractions& extractions = state.extractions();
  const ShortageRow* own = extractions.FindShortage(request.client_id(), request.request_id());
  const std::uint64_t others = extractions.lacking() - (own == nullptr ? 0 : own->lacking);
  lacking = std::min<std::uint64_t>(lacking, kMostLacking - std::min<std::uint64_t>(kMostLacking, others));
  const std::uint64_t under_way = state.ownership().revoking_for(RevokeReason::kReclaim);
  const std::uint64_t wanted = others + lacking;
  const std::uint64_t asked = std::min<std::uint64_t>(lacking, wanted - std::min(wanted, under_way));
  const auto taken = Givers(state, filter, point.now).Take(asked);
  const std::uint64_t noted = std::min<std::uint64_t>(lacking, taken.size() + under_way);
  if (noted > 0 && (own == nullptr || own->lacking != noted || own->until < point.now + kKept)) {
    events.emplace_back(ShortageNoted{ClientId(request.client_id()), request.request_id(), noted,
                                      point.now + state.settings().drain_grace + kKept});
  }
  RevokeAddresses(state, taken, {point.now + state.settings().drain_grace, point.principal}, events);
}

}  // namespace holdfast
