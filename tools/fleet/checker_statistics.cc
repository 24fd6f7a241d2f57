#include "tools/fleet/checker_statistics.h"

#include <iomanip>
#include <sstream>

namespace holdfast::fleet {

namespace wire = controlplane::v1;
using client::TaskFate;

namespace {

std::string VerdictText(wire::Verdict verdict) {
  switch (verdict) {
    case wire::VERDICT_PASS:
      return "pass";
    case wire::VERDICT_FAIL:
      return "fail";
    case wire::VERDICT_INCONCLUSIVE:
      return "inconclusive";
    default:
      return "none";
  }
}

// "available" of POOL_STATE_AVAILABLE.
std::string PoolStateText(admin::v1::PoolState state) {
  constexpr std::size_t kPrefix = std::char_traits<char>::length("POOL_STATE_");
  std::string text = admin::v1::PoolState_Name(state).substr(kPrefix);
  for (char& letter : text) letter = static_cast<char>(std::tolower(letter));
  return text;
}

}  // namespace

void CheckerStatistics::CountCall(const client::CallRecord& record) {
  const std::lock_guard lock(mutex_);
  calls_.Count(record);
}

void CheckerStatistics::CountTask(TaskFate fate) {
  const std::lock_guard lock(mutex_);
  ++fates_[fate];
}

void CheckerStatistics::CountVerdict(wire::Verdict verdict) {
  const std::lock_guard lock(mutex_);
  ++verdicts_[VerdictText(verdict)];
}

void CheckerStatistics::CountLost(client::ObservationLoss loss) {
  const std::lock_guard lock(mutex_);
  ++lost_[std::string(client::ObservationLossText(loss))];
}

void CheckerStatistics::CountAccepted(std::uint64_t observations) {
  const std::lock_guard lock(mutex_);
  accepted_ += observations;
}

void CheckerStatistics::CountState(LifecycleState before, LifecycleState after) {
  const std::lock_guard lock(mutex_);
  if (after == LifecycleState::kReconnecting) ++reconnects_;
  if (after == LifecycleState::kActive) ++active_;
  if (before == LifecycleState::kActive && after != LifecycleState::kActive) --active_;
}

void CheckerStatistics::CountFault(const std::string& name) {
  const std::lock_guard lock(mutex_);
  ++faults_[name];
}

void CheckerStatistics::CountListing(const judge::PoolListing& listing, std::uint64_t comparisons) {
  std::map<std::string, std::uint64_t> states;
  for (const auto& [proxy, state] : listing.proxies) ++states[PoolStateText(state)];
  const std::lock_guard lock(mutex_);
  ++listings_;
  comparisons_ = comparisons;
  pool_states_ = std::move(states);
}

void CheckerStatistics::CountListingFailed(const std::string& why) {
  const std::lock_guard lock(mutex_);
  ++listings_failed_;
  last_failure_ = why;
}

bool CheckerStatistics::reached() const {
  const std::lock_guard lock(mutex_);
  return calls_.reached();
}

std::int64_t CheckerStatistics::active() const {
  const std::lock_guard lock(mutex_);
  return active_;
}

std::uint64_t CheckerStatistics::comparisons() const {
  const std::lock_guard lock(mutex_);
  return comparisons_;
}

std::string CheckerStatistics::last_failure() const {
  const std::lock_guard lock(mutex_);
  return last_failure_;
}

std::uint64_t CheckerStatistics::Of(TaskFate fate) const {
  const auto found = fates_.find(fate);
  return found == fates_.end() ? 0 : found->second;
}

// Whatever came was started at once, or waited, or has an end of its own; what waited is started later.
std::uint64_t CheckerStatistics::Received() const {
  return Of(TaskFate::kStarted) + Of(TaskFate::kInconclusive) + Of(TaskFate::kRepeated) + Of(TaskFate::kNotTaken);
}

std::string CheckerStatistics::Progress() const {
  const std::lock_guard lock(mutex_);
  std::ostringstream out;
  out << active_ << " checkers active, " << Received() << " tasks, " << accepted_ << " observations";
  for (const auto& [state, count] : pool_states_) out << ", " << count << " " << state;
  return out.str();
}

std::string CheckerStatistics::Table(std::chrono::microseconds elapsed) const {
  const std::lock_guard lock(mutex_);
  std::ostringstream out;
  calls_.Print(out, elapsed);
  out << "tasks: " << Received() << ", " << Rate(Received(), elapsed) << " a second;";
  for (const auto& [fate, count] : fates_) out << " " << client::TaskFateText(fate) << " " << count;
  out << "\nobservations: " << accepted_ << " accepted, " << Rate(accepted_, elapsed) << " a second\n";
  PrintCounts(out, "verdicts:", verdicts_);
  PrintCounts(out, "observations lost:", lost_);
  PrintCounts(out, "calls refused:", calls_.Reasons());
  PrintCounts(out, "faults:", faults_);
  out << "reconnects: " << reconnects_ << "\n";
  PrintCounts(out, "pool:", pool_states_);
  out << "judged: " << comparisons_ << " pool states in " << listings_ << " listings, " << listings_failed_
      << " failed\n";
  return out.str();
}

nlohmann::json CheckerStatistics::Json(std::chrono::microseconds elapsed) const {
  const std::lock_guard lock(mutex_);
  nlohmann::json fates = nlohmann::json::object();
  for (const auto& [fate, count] : fates_) fates[std::string(client::TaskFateText(fate))] = count;
  return {
      {"calls", calls_.Json(elapsed)},
      {"tasks", {{"received", Received()}, {"per_second", Rate(Received(), elapsed)}, {"fates", std::move(fates)}}},
      {"observations",
       {{"accepted", accepted_}, {"per_second", Rate(accepted_, elapsed)}, {"verdicts", verdicts_}, {"lost", lost_}}},
      {"faults", faults_},
      {"reconnects", reconnects_},
      {"pool",
       {{"states", pool_states_},
        {"listings", listings_},
        {"listings_failed", listings_failed_},
        {"comparisons", comparisons_}}}};
}

}  // namespace holdfast::fleet
