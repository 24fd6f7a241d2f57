// What the fleet counts of its workers (calls and their latencies, updates, refusals, reconnects, faults) and all the
// violations. The checkers have counts of their own: checker_statistics.h.
//
// Count methods: any thread. Printing: at the end, or a line of progress at any time.

#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client/worker_observer.h"
#include "tools/fleet/call_table.h"
#include "tools/judge/judge.h"

namespace holdfast::fleet {

class FleetStatistics {
 public:
  void CountCall(const client::CallRecord& record);
  void CountUpdate(client::UpdateTaken::Kind kind);
  void CountRefused(const client::UpdateRefused& refused);
  void CountState(LifecycleState before, LifecycleState after);
  void CountFault(const std::string& name);
  void CountTunnels(std::uint64_t begun, std::uint64_t cut);
  void AddViolation(judge::Violation violation);

  bool reached() const;  // some registration was answered well
  std::uint64_t violations() const;
  // Violations that were not taken yet, in order.
  std::vector<judge::Violation> TakeNewViolations();

  // One line.
  std::string Progress(std::chrono::microseconds elapsed) const;
  // Without the violations: they are of everybody.
  std::string Table(std::chrono::microseconds elapsed, const judge::Judge::Counts& judged) const;
  nlohmann::json Json(std::chrono::microseconds elapsed, const judge::Judge::Counts& judged) const;

 private:
  mutable std::mutex mutex_;  // guards all below
  CallTable calls_{{client::CallName::kRegister, client::CallName::kAcknowledge, client::CallName::kReport,
                    client::CallName::kOutcomes, client::CallName::kWatch}};
  std::array<std::uint64_t, 3> updates_{};  // by UpdateTaken::Kind
  std::map<std::string, std::uint64_t> update_refusals_;
  std::map<std::string, std::uint64_t> faults_;
  std::uint64_t reconnects_ = 0;
  std::int64_t active_ = 0;
  std::uint64_t tunnels_begun_ = 0;
  std::uint64_t tunnels_cut_ = 0;
  std::vector<judge::Violation> violations_;  // the first kViolationsKept
  std::uint64_t violation_count_ = 0;
  std::size_t violations_taken_ = 0;
};

}  // namespace holdfast::fleet
