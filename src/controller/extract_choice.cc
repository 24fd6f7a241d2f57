#include "controller/extract_choice.h"

#include <absl/container/btree_set.h>

#include <algorithm>

#include "controller/proto_time.h"
#include "controller/rule_constant.h"

namespace holdfast {
namespace {

constexpr std::size_t kMostPassedOver = RuleConstant<std::size_t>(4'096, 0);

bool Carries(const ProxySpec& spec, const ExtractFilter& filter) {
  if (!filter.schemes.empty() &&
      !std::binary_search(filter.schemes.begin(), filter.schemes.end(), spec.endpoint.scheme)) {
    return false;
  }
  return std::all_of(filter.labels.begin(), filter.labels.end(), [&](const auto& label) {
    const auto found = spec.labels.find(label.first);
    return found != spec.labels.end() && found->second == label.second;
  });
}

class Chooser {
 public:
  Chooser(const ControllerState& state, const ExtractFilter& filter, std::size_t count, LogTime now)
      : state_(state), offers_(state.ownership().offers()), filter_(filter), count_(count), now_(now) {}

  std::vector<Choice> Run() {
    const std::vector<const OfferSet*> sets = Smallest();
    std::size_t size = 0;
    for (const OfferSet* set : sets) size += set->size();
    const absl::btree_set<ProxyKey>& serving = state_.health().serving(filter_.routing);
    if (filter_.routing.value() != 0 && serving.size() < size) {
      WalkServing(serving);
    } else {
      for (const OfferSet* set : sets) Walk(*set);
    }
    return std::move(chosen_);
  }

 private:
  // The sets that hold everything that fits, and the fewest others.
  std::vector<const OfferSet*> Smallest() const {
    std::vector<const OfferSet*> least{&offers_.all(false)};
    std::size_t size = offers_.all(false).size();
    if (filter_.resolves_secrets) {
      least.push_back(&offers_.all(true));
      size += offers_.all(true).size();
    }
    const auto consider = [&](const OfferSet& set) {
      if (set.size() >= size) return;
      size = set.size();
      least = {&set};
    };
    for (const auto& [key, value] : filter_.labels) consider(offers_.with_label(key, value));
    if (filter_.schemes.size() == 1) consider(offers_.with_scheme(filter_.schemes.front()));
    return least;
  }

  bool Done() const { return chosen_.size() == count_ || passed_over_ > kMostPassedOver; }

  void Look(AddressKey address) {
    if (state_.ownership().hold(address).state != OwnershipState::kUnowned || !seen_.insert(address).second) {
      ++passed_over_;
      return;
    }
    std::vector<ProxyKey> proxies = ProxiesFor(state_, filter_, address, now_);
    proxies.empty() ? (void)++passed_over_ : chosen_.push_back({address, std::move(proxies)});
  }

  void Walk(const OfferSet& set) {
    const Duration lasting = std::max(filter_.hold, filter_.min_remaining);
    const auto middle = lasting > Duration(0) ? set.lower_bound({now_ + lasting, AddressKey()}) : set.end();
    for (auto it = middle; it != set.end() && !Done(); ++it) Look(it->second);
    for (auto it = middle; it != set.begin() && !Done();) {
      --it;
      if (it->first < now_ + filter_.min_remaining) return;
      Look(it->second);
    }
  }

  void WalkServing(const absl::btree_set<ProxyKey>& serving) {
    for (const ProxyKey proxy : serving) {
      if (Done()) return;
      Look(state_.pool().proxy(proxy).address);
    }
  }

  const ControllerState& state_;
  const OfferIndex& offers_;
  const ExtractFilter& filter_;
  const std::size_t count_;
  const LogTime now_;
  std::size_t passed_over_ = 0;
  absl::btree_set<AddressKey> seen_;
  std::vector<Choice> chosen_;
};

}  // namespace

ExtractFilter FilterOf(const ControllerState& state, const distribution::v1::ExtractRequest& request) {
  ExtractFilter filter;
  filter.labels = {request.labels().begin(), request.labels().end()};
  for (const int scheme : request.schemes()) filter.schemes.push_back(static_cast<Scheme>(scheme));
  std::sort(filter.schemes.begin(), filter.schemes.end());
  filter.schemes.erase(std::unique(filter.schemes.begin(), filter.schemes.end()), filter.schemes.end());
  if (request.has_min_remaining()) filter.min_remaining = ReadDuration(request.min_remaining()).value_or(Duration(0));
  if (request.has_hold()) filter.hold = ReadDuration(request.hold()).value_or(Duration(0));
  if (!request.routing_id().empty()) filter.routing = state.routings().KeyOf(request.routing_id());
  filter.resolves_secrets = request.resolves_secrets();
  return filter;
}

std::vector<ProxyKey> ProxiesFor(const ControllerState& state, const ExtractFilter& filter, AddressKey address,
                                 LogTime now) {
  std::vector<ProxyKey> proxies;
  const HoldRow& hold = state.ownership().hold(address);
  if (hold.needs_secret && !filter.resolves_secrets) return proxies;
  for (const ProxyBrief& brief : hold.proxies) {
    const bool lasts = !IsOver(brief.usable_until, now) && brief.usable_until - now >= filter.min_remaining;
    if (!brief.grantable() || !lasts || !Carries(*brief.spec, filter)) continue;
    if (filter.routing.value() != 0 && !state.health().Serves(brief.proxy, filter.routing)) continue;
    proxies.push_back(brief.proxy);
  }
  return proxies;
}

std::vector<Choice> ChooseOffers(const ControllerState& state, const ExtractFilter& filter, std::size_t count,
                                 LogTime now) {
  return Chooser(state, filter, count, now).Run();
}

}  // namespace holdfast
