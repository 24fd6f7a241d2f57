#include "tools/fleet/fleet_statistics.h"

#include <iomanip>
#include <sstream>
#include <utility>

namespace holdfast::fleet {
namespace {

constexpr std::size_t kViolationsKept = 1'000;

double Seconds(std::chrono::microseconds duration) { return static_cast<double>(duration.count()) / 1e6; }

}  // namespace

void FleetStatistics::CountCall(const client::CallRecord& record) {
  const std::lock_guard lock(mutex_);
  calls_.Count(record);
}

void FleetStatistics::CountUpdate(client::UpdateTaken::Kind kind) {
  const std::lock_guard lock(mutex_);
  ++updates_[static_cast<std::size_t>(kind)];
}

void FleetStatistics::CountRefused(const client::UpdateRefused& refused) {
  const std::lock_guard lock(mutex_);
  ++update_refusals_[controlplane::v1::SnapshotRefusal_Name(refused.refusal)];
}

void FleetStatistics::CountState(LifecycleState before, LifecycleState after) {
  const std::lock_guard lock(mutex_);
  if (after == LifecycleState::kReconnecting) ++reconnects_;
  if (after == LifecycleState::kActive) ++active_;
  if (before == LifecycleState::kActive && after != LifecycleState::kActive) --active_;
}

void FleetStatistics::CountFault(const std::string& name) {
  const std::lock_guard lock(mutex_);
  ++faults_[name];
}

void FleetStatistics::CountTunnels(std::uint64_t begun, std::uint64_t cut) {
  const std::lock_guard lock(mutex_);
  tunnels_begun_ += begun;
  tunnels_cut_ += cut;
}

void FleetStatistics::AddViolation(judge::Violation violation) {
  const std::lock_guard lock(mutex_);
  ++violation_count_;
  if (violations_.size() < kViolationsKept) violations_.push_back(std::move(violation));
}

bool FleetStatistics::reached() const {
  const std::lock_guard lock(mutex_);
  return calls_.reached();
}

std::uint64_t FleetStatistics::violations() const {
  const std::lock_guard lock(mutex_);
  return violation_count_;
}

std::vector<judge::Violation> FleetStatistics::TakeNewViolations() {
  const std::lock_guard lock(mutex_);
  std::vector<judge::Violation> fresh(violations_.begin() + static_cast<std::ptrdiff_t>(violations_taken_),
                                      violations_.end());
  violations_taken_ = violations_.size();
  return fresh;
}

std::string FleetStatistics::Progress(std::chrono::microseconds elapsed) const {
  const std::lock_guard lock(mutex_);
  std::ostringstream out;
  out << std::fixed << std::setprecision(0) << Seconds(elapsed) << " s: " << active_ << " active, "
      << calls_.answered_well() << " calls, " << updates_[0] << " full, " << updates_[1] << " delta, " << updates_[2]
      << " renewals, " << reconnects_ << " reconnects, " << violation_count_ << " violations";
  return out.str();
}

std::string FleetStatistics::Table(std::chrono::microseconds elapsed, const judge::Judge::Counts& judged) const {
  const std::lock_guard lock(mutex_);
  std::ostringstream out;
  calls_.Print(out, elapsed);
  out << "updates: full " << updates_[0] << ", delta " << updates_[1] << ", renewal " << updates_[2] << "\n";
  PrintCounts(out, "updates refused:", update_refusals_);
  PrintCounts(out, "calls refused:", calls_.Reasons());
  PrintCounts(out, "faults:", faults_);
  out << "requests: begun " << tunnels_begun_ << ", cut " << tunnels_cut_ << "\n"
      << "reconnects: " << reconnects_ << "\n"
      << "judged: " << judged.updates << " updates, " << judged.answers << " answers, " << judged.holder_comparisons
      << " pairs of holders\n";
  return out.str();
}

nlohmann::json FleetStatistics::Json(std::chrono::microseconds elapsed, const judge::Judge::Counts& judged) const {
  const std::lock_guard lock(mutex_);
  nlohmann::json violations = nlohmann::json::array();
  for (const judge::Violation& violation : violations_) {
    violations.push_back({{"kind", std::string(judge::ViolationKindName(violation.kind))},
                          {"at_us", violation.at_us},
                          {"text", violation.text}});
  }
  return {{"elapsed_us", elapsed.count()},
          {"calls", calls_.Json(elapsed)},
          {"updates", {{"full", updates_[0]}, {"delta", updates_[1]}, {"renewal", updates_[2]}}},
          {"updates_refused", update_refusals_},
          {"faults", faults_},
          {"requests", {{"begun", tunnels_begun_}, {"cut", tunnels_cut_}}},
          {"reconnects", reconnects_},
          {"judged",
           {{"happenings", judged.happenings},
            {"updates", judged.updates},
            {"answers", judged.answers},
            {"holder_comparisons", judged.holder_comparisons},
            {"extractions", judged.extractions}}},
          {"violation_count", violation_count_},
          {"violations", std::move(violations)}};
}

}  // namespace holdfast::fleet
