// The calls of one kind of member, each with its counts (call_counts.h).
//
// One thread at a time: whoever holds it locks.

#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "client/call_record.h"
#include "tools/fleet/call_counts.h"

namespace holdfast::fleet {

class CallTable {
 public:
  // `names`: the calls that its members make, in the order in which they are shown.
  explicit CallTable(std::vector<client::CallName> names) : names_(std::move(names)) {}

  void Count(const client::CallRecord& record);

  bool reached() const;  // some registration was answered well
  std::uint64_t answered_well() const;
  std::map<std::string, std::uint64_t> Reasons() const;  // of all refused calls

  // A line of titles, a line for each call.
  void Print(std::ostream& out, std::chrono::microseconds elapsed) const;
  nlohmann::json Json(std::chrono::microseconds elapsed) const;

 private:
  static constexpr std::size_t kCalls = 5;

  const CallCounts& Of(client::CallName name) const { return calls_[static_cast<std::size_t>(name)]; }

  const std::vector<client::CallName> names_;
  std::array<CallCounts, kCalls> calls_;
};

}  // namespace holdfast::fleet
