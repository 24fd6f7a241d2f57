// What clients could be given: unowned addresses with a proxy that may be used, in the order in which the last such
// proxy of each ends; and the same for each label and each scheme that such a proxy carries. A choice walks the
// smallest of the sets that it asks for, and looks at nothing else.
//
// Thread: owned by its projection. Cost: a logarithm for each label and scheme. Does not: know what is so of each proxy
// alone; who chooses looks at that.

#pragma once

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/log_time.h"
#include "events/pool_events.h"

namespace holdfast {

// When its last usable proxy ends, and the address.
using Offer = std::pair<LogTime, AddressKey>;
using OfferSet = absl::btree_set<Offer>;

class OfferIndex {
 public:
  // specs: of its proxies that may be used now.
  void Insert(const Offer& offer, bool needs_secret, const std::vector<const ProxySpec*>& specs);
  // Requires: inserted with the same.
  void Erase(const Offer& offer, bool needs_secret, const std::vector<const ProxySpec*>& specs);

  const OfferSet& all(bool needs_secret) const { return all_[needs_secret]; }
  const OfferSet& with_label(std::string_view key, std::string_view value) const;
  const OfferSet& with_scheme(Scheme scheme) const { return by_scheme_[static_cast<std::size_t>(scheme)]; }

 private:
  static constexpr std::size_t kSchemes = 8;  // more than the wire has

  std::array<OfferSet, 2> all_;
  std::array<OfferSet, kSchemes> by_scheme_;
  absl::flat_hash_map<std::string, OfferSet> by_label_;
};

}  // namespace holdfast
