#include "tools/fleet/call_table.h"

namespace holdfast::fleet {

void CallTable::Count(const client::CallRecord& record) {
  CallCounts& counts = calls_[static_cast<std::size_t>(record.name)];
  counts.Count(record.result);
  // A stream's length is not a latency.
  if (record.name != client::CallName::kWatch && (record.result.ok() || record.result.detail)) {
    counts.CountLatency(record.answered_at - record.sent_at);
  }
}

bool CallTable::reached() const { return Of(client::CallName::kRegister).ok() > 0; }

std::uint64_t CallTable::answered_well() const {
  std::uint64_t calls = 0;
  for (const CallCounts& counts : calls_) calls += counts.ok();
  return calls;
}

std::map<std::string, std::uint64_t> CallTable::Reasons() const {
  std::map<std::string, std::uint64_t> reasons;
  for (const CallCounts& counts : calls_) {
    for (const auto& [reason, count] : counts.reasons()) reasons[reason] += count;
  }
  return reasons;
}

void CallTable::Print(std::ostream& out, std::chrono::microseconds elapsed) const {
  CallCounts::PrintTitles(out);
  for (const client::CallName name : names_) Of(name).Print(out, client::CallNameText(name), elapsed);
}

nlohmann::json CallTable::Json(std::chrono::microseconds elapsed) const {
  nlohmann::json calls = nlohmann::json::object();
  for (const client::CallName name : names_) calls[std::string(client::CallNameText(name))] = Of(name).Json(elapsed);
  return calls;
}

}  // namespace holdfast::fleet
