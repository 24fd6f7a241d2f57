// What the fleet counts of its checkers: calls, tasks and what became of them, observations, verdicts, losses, faults,
// and what the pool looked like.
//
// Count methods: any thread. Printing: at the end, or a part of the line of progress at any time.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "base/session_lifecycle.h"
#include "client/checker_observer.h"
#include "controlplane/v1/controlplane.pb.h"
#include "tools/fleet/call_table.h"
#include "tools/judge/health_judge.h"

namespace holdfast::fleet {

class CheckerStatistics {
 public:
  void CountCall(const client::CallRecord& record);
  void CountTask(client::TaskFate fate);
  void CountVerdict(controlplane::v1::Verdict verdict);
  void CountLost(client::ObservationLoss loss);
  // Observations that an accepted report carried, those that the controller did not know among them.
  void CountAccepted(std::uint64_t observations);
  void CountState(LifecycleState before, LifecycleState after);
  void CountFault(const std::string& name);
  void CountListing(const judge::PoolListing& listing, std::uint64_t comparisons);
  void CountListingFailed(const std::string& why);

  bool reached() const;         // some registration was answered well
  std::int64_t active() const;  // checkers, as they see themselves
  std::uint64_t comparisons() const;
  // Why the pool could not be read when that was tried last and failed; empty: it never failed.
  std::string last_failure() const;

  // A part of a line.
  std::string Progress() const;
  std::string Table(std::chrono::microseconds elapsed) const;
  nlohmann::json Json(std::chrono::microseconds elapsed) const;

 private:
  // Both require: lock held.
  std::uint64_t Received() const;
  std::uint64_t Of(client::TaskFate fate) const;

  mutable std::mutex mutex_;  // guards all below
  CallTable calls_{{client::CallName::kRegister, client::CallName::kReport, client::CallName::kWatch}};
  std::map<client::TaskFate, std::uint64_t> fates_;
  std::map<std::string, std::uint64_t> verdicts_;
  std::map<std::string, std::uint64_t> lost_;
  std::map<std::string, std::uint64_t> faults_;
  std::map<std::string, std::uint64_t> pool_states_;  // of the newest listing
  std::uint64_t accepted_ = 0;
  std::uint64_t reconnects_ = 0;
  std::int64_t active_ = 0;
  std::uint64_t listings_ = 0;
  std::uint64_t listings_failed_ = 0;
  std::uint64_t comparisons_ = 0;
  std::string last_failure_;
};

}  // namespace holdfast::fleet
