#include "tools/fleet/client_statistics.h"

#include <sstream>

namespace holdfast::fleet {

void ClientStatistics::CountExtract(const client::CallResult& result, std::chrono::microseconds took) {
  const std::lock_guard lock(mutex_);
  extract_.Count(result);
  if (result.ok()) extract_.CountLatency(took);
}

void ClientStatistics::CountRelease(const client::CallResult& result, std::chrono::microseconds took) {
  const std::lock_guard lock(mutex_);
  release_.Count(result);
  if (result.ok()) release_.CountLatency(took);
}

void ClientStatistics::CountExtracted(std::uint64_t machines) {
  const std::lock_guard lock(mutex_);
  ++extractions_;
  extracted_ += machines;
}

void ClientStatistics::CountRepeated() {
  const std::lock_guard lock(mutex_);
  ++repeated_;
}

void ClientStatistics::CountGivenUp() {
  const std::lock_guard lock(mutex_);
  ++given_up_;
}

void ClientStatistics::CountReleased(std::uint64_t machines) {
  const std::lock_guard lock(mutex_);
  released_ += machines;
}

void ClientStatistics::CountExpired(std::uint64_t machines) {
  const std::lock_guard lock(mutex_);
  expired_ += machines;
}

void ClientStatistics::CountAskedInDoubt(std::uint64_t machines) {
  const std::lock_guard lock(mutex_);
  asked_in_doubt_ += machines;
}

void ClientStatistics::CountReleaseInDoubt(std::uint64_t machines) {
  const std::lock_guard lock(mutex_);
  release_in_doubt_ += machines;
}

void ClientStatistics::CountFault(const std::string& name) {
  const std::lock_guard lock(mutex_);
  ++faults_[name];
}

bool ClientStatistics::reached() const {
  const std::lock_guard lock(mutex_);
  return extract_.ok() + extract_.refused() > 0;
}

std::map<std::string, std::uint64_t> ClientStatistics::Reasons() const {
  std::map<std::string, std::uint64_t> reasons = extract_.reasons();
  for (const auto& [reason, count] : release_.reasons()) reasons[reason] += count;
  return reasons;
}

std::string ClientStatistics::Progress() const {
  const std::lock_guard lock(mutex_);
  std::ostringstream out;
  out << extractions_ << " extractions, " << Held() << " machines held";
  return out.str();
}

std::string ClientStatistics::Table(std::chrono::microseconds elapsed) const {
  const std::lock_guard lock(mutex_);
  std::ostringstream out;
  CallCounts::PrintTitles(out);
  extract_.Print(out, "extract", elapsed);
  release_.Print(out, "release", elapsed);
  out << "extractions: " << extractions_ << ", " << Rate(extractions_, elapsed) << " a second; repeated " << repeated_
      << ", given up " << given_up_ << "\n"
      << "machines: extracted " << extracted_ << ", " << Rate(extracted_, elapsed) << " a second; released "
      << released_ << ", expired " << expired_ << ", held " << Held() << ", in doubt "
      << asked_in_doubt_ + release_in_doubt_ << "\n";
  PrintCounts(out, "calls refused:", Reasons());
  PrintCounts(out, "faults:", faults_);
  return out.str();
}

nlohmann::json ClientStatistics::Json(std::chrono::microseconds elapsed) const {
  const std::lock_guard lock(mutex_);
  return {{"calls", {{"extract", extract_.Json(elapsed)}, {"release", release_.Json(elapsed)}}},
          {"extractions",
           {{"count", extractions_},
            {"per_second", Rate(extractions_, elapsed)},
            {"repeated", repeated_},
            {"given_up", given_up_}}},
          {"machines",
           {{"extracted", extracted_},
            {"per_second", Rate(extracted_, elapsed)},
            {"released", released_},
            {"expired", expired_},
            {"held", Held()},
            {"in_doubt", asked_in_doubt_ + release_in_doubt_}}},
          {"faults", faults_}};
}

}  // namespace holdfast::fleet
