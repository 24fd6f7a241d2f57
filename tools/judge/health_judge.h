// Whether the pool's states follow a truth about its proxies that is known from outside.
//
// Called with listings of the pool, in the order of time, one thread at a time. A proxy whose truth has stood for
// longer than the bound must be UNHEALTHY where it fails and AVAILABLE where it passes; how long that may take is
// reckoned here, from the settings as health.md names them. What the checkers themselves have spoilt is excused: it is
// told, and the proxy has its whole time again. Each violation is given once for each change of the truth.
// Does not judge TARGET (it marks a routing, not the proxy), nor what is EXTRACTED or EXPIRED.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "holdfast/admin/v1/admin.pb.h"
#include "tools/judge/violation.h"

namespace holdfast::judge {

// The settings of the controller as far as they bound how long its word may be behind.
struct HealthSettings {
  std::int64_t basic_interval_us = 60'000'000;
  std::int64_t egress_interval_us = 600'000'000;
  std::int64_t suspect_interval_us = 10'000'000;
  std::int64_t unhealthy_max_interval_us = 600'000'000;
  std::int64_t timeout_us = 10'000'000;         // of one check
  std::int64_t deadline_margin_us = 2'000'000;  // the controller waits this much longer than a check may take
  std::int64_t failures_to_unhealthy = 3;
  std::int64_t passes_from_unhealthy = 2;
  std::int64_t margin_us = 30'000'000;  // for the way there and back, and for what a listing is behind

  // From the moment a proxy begins to fail at a level that is checked each `interval_us` until it is UNHEALTHY: the
  // next check, the others at the suspect interval, each over its whole deadline.
  std::int64_t DownWithin(std::int64_t interval_us) const;
  // From the moment it passes at all levels until it is AVAILABLE, at the longest backoff.
  std::int64_t UpWithin() const;
};

// What a check of a proxy would find at an instant.
struct HealthTruth {
  bool passes_basic = true;
  bool passes_egress = true;
  std::int64_t since_us = 0;  // when this began
};

struct PoolListing {
  std::int64_t begun_us = 0;  // asked for
  std::int64_t ended_us = 0;  // wholly there: each state was true at some instant between
  std::vector<std::pair<ProxyId, admin::v1::PoolState>> proxies;
};

class HealthJudge {
 public:
  // At any instant up to the end of the listing that is judged.
  using Truth = std::function<HealthTruth(const ProxyId& proxy, std::int64_t at_us)>;

  HealthJudge(const HealthSettings& settings, Truth truth, std::function<void(Violation)> report);

  // Requires: not before the listing heard last.
  void Hear(const PoolListing& listing);
  // A check of it came to nothing, and not by the controller's doing.
  void Excuse(const ProxyId& proxy, std::int64_t at_us);
  // Nobody checks, or nobody can look: with the next listing every proxy has its whole time again.
  void OnGap() { gap_ = true; }

  // Verdicts so far: a run that judged nothing proves nothing.
  std::uint64_t comparisons() const { return comparisons_; }

 private:
  struct Record {
    std::int64_t from_us = 0;       // nothing before this is held against the controller
    std::int64_t reported_us = -1;  // the truth whose violation was reported began then
    std::uint64_t listing = 0;
  };

  void Compare(const ProxyId& proxy, admin::v1::PoolState state, const PoolListing& listing, Record& record);

  const HealthSettings settings_;
  const Truth truth_;
  const std::function<void(Violation)> report_;
  std::map<ProxyId, Record> records_;
  std::uint64_t listings_ = 0;
  std::uint64_t comparisons_ = 0;
  bool gap_ = true;
};

}  // namespace holdfast::judge
