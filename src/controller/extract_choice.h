// Which unowned machines a client is given, and which proxies of each: what a request asks for, looked up in the
// smallest of the sets that hold it.
//
// Order: with a hold or a least time to live, those that end soonest of those that last, then the longest of the
// others; with neither, the longest first. Pure, as all rules (decide.h). Cost: a logarithm for each machine that is
// looked at: at most those that are chosen, and 4,096 that do not fit.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// What is asked of a proxy.
struct ExtractFilter {
  std::map<std::string, std::string> labels;
  std::vector<Scheme> schemes;  // ascending; empty: any
  Duration min_remaining{};
  Duration hold{};     // 0: none
  RoutingKey routing;  // 0: any
  bool resolves_secrets = false;
};

// Requires: the request is well formed. The routing is 0 as well where its id is not in force.
ExtractFilter FilterOf(const ControllerState& state, const distribution::v1::ExtractRequest& request);

// The proxies of an address that would be handed out; empty: it does not fit. It may be held.
std::vector<ProxyKey> ProxiesFor(const ControllerState& state, const ExtractFilter& filter, AddressKey address,
                                 LogTime now);

struct Choice {
  AddressKey address;
  std::vector<ProxyKey> proxies;
};

// At most `count`, each unowned.
std::vector<Choice> ChooseOffers(const ControllerState& state, const ExtractFilter& filter, std::size_t count,
                                 LogTime now);

}  // namespace holdfast
