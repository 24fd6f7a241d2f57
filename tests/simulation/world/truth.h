// What is true of the proxies of a simulated world: which can be reached, what they give away, which targets they
// reach. Some are dead from the start, some die, some come back; now and then many at once.
//
// Asked by simulated checkers and workers for what they find, and by the run for what must have come about at rest.
// Thread: one. A proxy is what stands at an endpoint, under whichever id; it is drawn when it is first asked for.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controlplane/v1/types.pb.h"
#include "tests/simulation/checkers/true_health.h"
#include "tests/simulation/world/scheduler.h"
#include "tools/fleet/prng.h"

namespace holdfast::simulation {

// Of the routings that operators apply: r0, r1, …
inline constexpr int kRoutingIds = 3;
inline std::string RoutingId(std::uint64_t number) { return "r" + std::to_string(number); }

class Truth {
 public:
  Truth(fleet::Prng& random, Scheduler& time);

  const TrueHealth& Of(const controlplane::v1::Endpoint& endpoint) { return Find(endpoint); }
  // Whether an honest check comes to PASS at this instant. routing_id: TARGET; min_anonymity: EGRESS.
  bool Passes(const controlplane::v1::Endpoint& endpoint, controlplane::v1::CheckLevel level,
              const std::string& routing_id, controlplane::v1::Anonymity min_anonymity);

  // ---- what befalls proxies ----------------------------------------------------------------------------------------
  // One dies, or falls silent, or gives more away, or reaches a routing's targets no longer.
  void OneFails();
  void OneReturns();
  // A share of all that are alive, for so long.
  void ManyDie(std::uint64_t percent, Micros length);
  // The targets of one routing, for so long.
  void TargetsFail(Micros length);
  // What failed for a while is back.
  void EndOutages();
  // Everything is well from now on.
  void AllReturn();

 private:
  using Restore = std::function<void()>;

  TrueHealth& Find(const controlplane::v1::Endpoint& endpoint);
  TrueHealth* Any();
  void EndsAfter(Micros length, Restore restore);

  fleet::Prng& random_;
  Scheduler& time_;
  const std::uint64_t dead_percent_;  // from the start
  bool all_well_ = false;
  std::map<std::string, TrueHealth> proxies_;
  std::vector<std::shared_ptr<Restore>> outages_;
};

}  // namespace holdfast::simulation
