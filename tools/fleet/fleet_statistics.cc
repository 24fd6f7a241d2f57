#include "tools/fleet/fleet_statistics.h"

#include <iomanip>
#include <sstream>
#include <utility>

namespace holdfast::fleet {
namespace {

constexpr std::size_t kViolationsKept = 1'000;
constexpr client::CallName kCallNames[] = {client::CallName::kRegister, client::CallName::kAcknowledge,
                                           client::CallName::kReport, client::CallName::kOutcomes,
                                           client::CallName::kWatch};

double Seconds(std::chrono::microseconds duration) { return static_cast<double>(duration.count()) / 1e6; }
double Milliseconds(std::uint64_t micros) { return static_cast<double>(micros) / 1e3; }
double Rate(std::uint64_t count, std::chrono::microseconds elapsed) {
  return elapsed.count() == 0 ? 0 : static_cast<double>(count) / Seconds(elapsed);
}

void PrintCounts(std::ostream& out, const char* title, const std::map<std::string, std::uint64_t>& counts) {
  out << title;
  if (counts.empty()) out << " none";
  for (const auto& [name, count] : counts) out << " " << name << " " << count;
  out << "\n";
}

}  // namespace

void FleetStatistics::CountCall(const client::CallRecord& record) {
  const std::lock_guard lock(mutex_);
  CallCounts& counts = calls_[static_cast<std::size_t>(record.name)];
  if (record.result.ok()) {
    ++counts.ok;
  } else if (record.result.detail) {
    ++counts.refused;
    ++counts.reasons[controlplane::v1::RejectReason_Name(record.result.reason())];
  } else {
    ++counts.failed;
  }
  // A stream's length is not a latency.
  if (record.name != client::CallName::kWatch && (record.result.ok() || record.result.detail)) {
    counts.latency.Add((record.answered_at - record.sent_at).count());
  }
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
  return calls_[static_cast<std::size_t>(client::CallName::kRegister)].ok > 0;
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
  std::uint64_t calls = 0;
  for (const CallCounts& counts : calls_) calls += counts.ok;
  out << std::fixed << std::setprecision(0) << Seconds(elapsed) << " s: " << active_ << " active, " << calls
      << " calls, " << updates_[0] << " full, " << updates_[1] << " delta, " << updates_[2] << " renewals, "
      << reconnects_ << " reconnects, " << violation_count_ << " violations";
  return out.str();
}

std::string FleetStatistics::Table(std::chrono::microseconds elapsed, const judge::Judge::Counts& judged) const {
  const std::lock_guard lock(mutex_);
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << std::left << std::setw(10) << "call" << std::right << std::setw(10)
      << "ok" << std::setw(10) << "refused" << std::setw(10) << "failed" << std::setw(10) << "ok/s" << std::setw(10)
      << "p50 ms" << std::setw(10) << "p99 ms" << std::setw(10) << "max ms"
      << "\n";
  for (client::CallName name : kCallNames) {
    const CallCounts& counts = calls_[static_cast<std::size_t>(name)];
    out << std::left << std::setw(10) << client::CallNameText(name) << std::right << std::setw(10) << counts.ok
        << std::setw(10) << counts.refused << std::setw(10) << counts.failed << std::setw(10)
        << Rate(counts.ok, elapsed) << std::setw(10) << Milliseconds(counts.latency.Quantile(500)) << std::setw(10)
        << Milliseconds(counts.latency.Quantile(990)) << std::setw(10) << Milliseconds(counts.latency.max_micros())
        << "\n";
  }
  out << "updates: full " << updates_[0] << ", delta " << updates_[1] << ", renewal " << updates_[2] << "\n";
  PrintCounts(out, "updates refused:", update_refusals_);
  std::map<std::string, std::uint64_t> reasons;
  for (const CallCounts& counts : calls_) {
    for (const auto& [reason, count] : counts.reasons) reasons[reason] += count;
  }
  PrintCounts(out, "calls refused:", reasons);
  PrintCounts(out, "faults:", faults_);
  out << "requests: begun " << tunnels_begun_ << ", cut " << tunnels_cut_ << "\n"
      << "reconnects: " << reconnects_ << "\n"
      << "judged: " << judged.updates << " updates, " << judged.answers << " answers, " << judged.holder_comparisons
      << " pairs of holders\n"
      << "violations: " << violation_count_ << "\n";
  return out.str();
}

nlohmann::json FleetStatistics::Json(std::chrono::microseconds elapsed, const judge::Judge::Counts& judged) const {
  const std::lock_guard lock(mutex_);
  nlohmann::json calls = nlohmann::json::object();
  for (client::CallName name : kCallNames) {
    const CallCounts& counts = calls_[static_cast<std::size_t>(name)];
    calls[std::string(client::CallNameText(name))] = {{"ok", counts.ok},
                                                      {"refused", counts.refused},
                                                      {"failed", counts.failed},
                                                      {"ok_per_second", Rate(counts.ok, elapsed)},
                                                      {"p50_us", counts.latency.Quantile(500)},
                                                      {"p99_us", counts.latency.Quantile(990)},
                                                      {"max_us", counts.latency.max_micros()},
                                                      {"reasons", counts.reasons}};
  }
  nlohmann::json violations = nlohmann::json::array();
  for (const judge::Violation& violation : violations_) {
    violations.push_back({{"kind", std::string(judge::ViolationKindName(violation.kind))},
                          {"at_us", violation.at_us},
                          {"text", violation.text}});
  }
  return {{"elapsed_us", elapsed.count()},
          {"calls", std::move(calls)},
          {"updates", {{"full", updates_[0]}, {"delta", updates_[1]}, {"renewal", updates_[2]}}},
          {"updates_refused", update_refusals_},
          {"faults", faults_},
          {"requests", {{"begun", tunnels_begun_}, {"cut", tunnels_cut_}}},
          {"reconnects", reconnects_},
          {"judged",
           {{"happenings", judged.happenings},
            {"updates", judged.updates},
            {"answers", judged.answers},
            {"holder_comparisons", judged.holder_comparisons}}},
          {"violation_count", violation_count_},
          {"violations", std::move(violations)}};
}

}  // namespace holdfast::fleet
