// What a worker's next update changes against what its instance was last issued: the grants that follow from ownership,
// the pool and the fence, within what fits into one message.
//
// Pure. Costs the addresses that changed; a full update that must be cut to fit costs the content.

#pragma once

#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

struct ContentDifference {
  std::vector<ProxyKey> upserted;
  std::vector<GrantState> states;
  std::vector<ProxyKey> removed;
  std::vector<AddressKey> shown;
  std::vector<AddressKey> dropped;
  std::vector<AddressKey> deferred;
  std::vector<AddressKey> draining;  // shown DRAINING for the first time
  bool overflowed = false;           // something was deferred because it does not fit
  bool unfit = false;                // something fits no message of this size, whatever else is in it
  bool tight = false;                // of a full one: less than a quarter of the message is free after it
  std::size_t listed = 0;            // proxies in the content after it
  Checksum content_sum{};            // S after it

  bool empty() const { return upserted.empty() && removed.empty(); }
};

ContentDifference CompareContent(const ControllerState& state, const WorkerRow& worker, bool full, LogTime now);

// Proxies that the worker was shown and may not reserve any more, those in use first, at most `limit`. For the answer
// to a report: nothing is released because of it.
std::vector<ProxyKey> NoLongerGranted(const ControllerState& state, WorkerKey worker, std::size_t limit);

}  // namespace holdfast
