// Whether a proxy passes its checks at an instant: drawn beforehand, for every proxy that there may be. Nothing is
// dialled.
//
// A pure function of the seed, the proxy's id and the time since the run began: every checker of the fleet and its
// judge see the same, on any thread. Half of the dead are dead for ever; the other half is the dead half of those that
// die and come back, each about as often as flip_every says. One in five of the dead still accepts connections and
// fails at EGRESS.

#pragma once

#include <cstdint>
#include <string>

#include "controlplane/v1/types.pb.h"

namespace holdfast::fleet {

struct TruthSettings {
  std::uint64_t seed = 1;
  double dead_share = 0.1;         // 0..1, of all proxies at any instant
  std::int64_t flip_every_us = 0;  // how often the truth of a proxy changes that does change; 0: never
  bool egress_is_checked = true;   // else every dead proxy fails at BASIC
};

class ProxyTruth {
 public:
  struct State {
    bool alive = true;
    bool fails_at_basic = false;  // dead, and at the first level already
    std::int64_t since_us = 0;    // since the run began
  };

  explicit ProxyTruth(const TruthSettings& settings) : settings_(settings) {}

  // False for what stands on loopback: that may be there and is for real checkers to see.
  static bool Knows(const std::string& proxy_id);
  // Requires: at_us is not below zero.
  State At(const std::string& proxy_id, std::int64_t at_us) const;
  // One in ten of the routings never works through a living proxy.
  bool Passes(const std::string& proxy_id, controlplane::v1::CheckLevel level, const std::string& routing_id,
              std::int64_t at_us) const;
  // How far away it is: 5 to 500 ms, always the same.
  std::int64_t LatencyUs(const std::string& proxy_id) const;
  // Whether a check that fails at BASIC is refused at once; else it has no answer before its timeout.
  bool Refuses(const std::string& proxy_id) const;
  // Its public address, in a range that is kept for documentation.
  std::string EgressAddress(const std::string& proxy_id) const;

 private:
  // What is drawn for a proxy; each thing has a number of its own.
  std::uint64_t Draw(const std::string& proxy_id, std::uint64_t what) const;
  double Share(const std::string& proxy_id, std::uint64_t what) const;
  std::int64_t Change(const std::string& proxy_id, std::int64_t number) const;

  const TruthSettings settings_;
};

}  // namespace holdfast::fleet
