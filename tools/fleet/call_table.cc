#include "tools/fleet/call_table.h"

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

void CallTable::Count(const client::CallRecord& record) {
  Counts& counts = calls_[static_cast<std::size_t>(record.name)];
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

bool CallTable::reached() const { return Of(client::CallName::kRegister).ok > 0; }

std::uint64_t CallTable::answered_well() const {
  std::uint64_t calls = 0;
  for (const Counts& counts : calls_) calls += counts.ok;
  return calls;
}

std::map<std::string, std::uint64_t> CallTable::Reasons() const {
  std::map<std::string, std::uint64_t> reasons;
  for (const Counts& counts : calls_) {
    for (const auto& [reason, count] : counts.reasons) reasons[reason] += count;
  }
  return reasons;
}

void CallTable::Print(std::ostream& out, std::chrono::microseconds elapsed) const {
  out << std::fixed << std::setprecision(1) << std::left << std::setw(10) << "call" << std::right << std::setw(10)
      << "ok" << std::setw(10) << "refused" << std::setw(10) << "failed" << std::setw(10) << "ok/s" << std::setw(10)
      << "p50 ms" << std::setw(10) << "p99 ms" << std::setw(10) << "max ms"
      << "\n";
  for (const client::CallName name : names_) {
    const Counts& counts = Of(name);
    out << std::left << std::setw(10) << client::CallNameText(name) << std::right << std::setw(10) << counts.ok
        << std::setw(10) << counts.refused << std::setw(10) << counts.failed << std::setw(10)
        << Rate(counts.ok, elapsed) << std::setw(10) << Milliseconds(counts.latency.Quantile(500)) << std::setw(10)
        << Milliseconds(counts.latency.Quantile(990)) << std::setw(10) << Milliseconds(counts.latency.max_micros())
        << "\n";
  }
}

nlohmann::json CallTable::Json(std::chrono::microseconds elapsed) const {
  nlohmann::json calls = nlohmann::json::object();
  for (const client::CallName name : names_) {
    const Counts& counts = Of(name);
    calls[std::string(client::CallNameText(name))] = {{"ok", counts.ok},
                                                      {"refused", counts.refused},
                                                      {"failed", counts.failed},
                                                      {"ok_per_second", Rate(counts.ok, elapsed)},
                                                      {"p50_us", counts.latency.Quantile(500)},
                                                      {"p99_us", counts.latency.Quantile(990)},
                                                      {"max_us", counts.latency.max_micros()},
                                                      {"reasons", counts.reasons}};
  }
  return calls;
}

}  // namespace holdfast::fleet
