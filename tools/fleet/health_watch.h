// Reads the pool about once a second and has the judge hold its states against the truth.
//
// On its loop's thread but for Excuse, which any thread may call while the loop runs. Instants are counted from the
// beginning of the run, like the truth.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/scheduler.h"
#include "tools/fleet/checker_statistics.h"
#include "tools/fleet/pool_reader.h"
#include "tools/fleet/proxy_truth.h"
#include "tools/judge/health_judge.h"

namespace holdfast::fleet {

class HealthWatch {
 public:
  // `statistics` and `truth` outlive it; `report` is called on the loop's thread.
  HealthWatch(const judge::HealthSettings& settings, std::shared_ptr<client::Scheduler> scheduler,
              client::ChannelSource channels, const ProxyTruth& truth, client::BootTime began_at,
              CheckerStatistics& statistics, std::function<void(judge::Violation)> report);
  ~HealthWatch();

  void Start() { Look(); }

  // A check of it came to nothing by a checker's own doing, now.
  void Excuse(const std::string& proxy_id);

 private:
  void Look();
  void OnListing(const client::CallResult& result, judge::PoolListing listing);
  judge::HealthTruth TruthOf(const ProxyId& proxy, std::int64_t at_us) const;

  const std::shared_ptr<client::Scheduler> scheduler_;
  const ProxyTruth& truth_;
  const client::BootTime began_at_;
  CheckerStatistics& statistics_;
  PoolReader reader_;
  judge::HealthJudge judge_;
  client::Scheduler::TimerId timer_ = 0;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::fleet
