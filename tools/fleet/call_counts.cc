#include "tools/fleet/call_counts.h"

#include <iomanip>

namespace holdfast::fleet {
namespace {

double Milliseconds(std::uint64_t micros) { return static_cast<double>(micros) / 1e3; }

}  // namespace

double Rate(std::uint64_t count, std::chrono::microseconds elapsed) {
  return elapsed.count() == 0 ? 0 : static_cast<double>(count) * 1e6 / static_cast<double>(elapsed.count());
}

void PrintCounts(std::ostream& out, const char* title, const std::map<std::string, std::uint64_t>& counts) {
  out << title;
  if (counts.empty()) out << " none";
  for (const auto& [name, count] : counts) out << " " << name << " " << count;
  out << "\n";
}

void CallCounts::Count(const client::CallResult& result) {
  if (result.ok()) {
    ++ok_;
  } else if (result.detail) {
    ++refused_;
    ++reasons_[controlplane::v1::RejectReason_Name(result.reason())];
  } else {
    ++failed_;
  }
}

void CallCounts::PrintTitles(std::ostream& out) {
  out << std::fixed << std::setprecision(1) << std::left << std::setw(10) << "call" << std::right << std::setw(10)
      << "ok" << std::setw(10) << "refused" << std::setw(10) << "failed" << std::setw(10) << "ok/s" << std::setw(10)
      << "p50 ms" << std::setw(10) << "p99 ms" << std::setw(10) << "max ms"
      << "\n";
}

void CallCounts::Print(std::ostream& out, std::string_view name, std::chrono::microseconds elapsed) const {
  out << std::left << std::setw(10) << name << std::right << std::setw(10) << ok_ << std::setw(10) << refused_
      << std::setw(10) << failed_ << std::setw(10) << Rate(ok_, elapsed) << std::setw(10)
      << Milliseconds(latency_.Quantile(500)) << std::setw(10) << Milliseconds(latency_.Quantile(990)) << std::setw(10)
      << Milliseconds(latency_.max_micros()) << "\n";
}

nlohmann::json CallCounts::Json(std::chrono::microseconds elapsed) const {
  return {{"ok", ok_},
          {"refused", refused_},
          {"failed", failed_},
          {"ok_per_second", Rate(ok_, elapsed)},
          {"p50_us", latency_.Quantile(500)},
          {"p99_us", latency_.Quantile(990)},
          {"max_us", latency_.max_micros()},
          {"reasons", reasons_}};
}

}  // namespace holdfast::fleet
