// The calls of one kind of member: how often each ended how, and how long its answers took.
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
#include "tools/fleet/histogram.h"

namespace holdfast::fleet {

// Counts a second; 0 where no time has passed.
double Rate(std::uint64_t count, std::chrono::microseconds elapsed);

// "TITLE NAME COUNT NAME COUNT", or "TITLE none", and a new line.
void PrintCounts(std::ostream& out, const char* title, const std::map<std::string, std::uint64_t>& counts);

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
  struct Counts {
    std::uint64_t ok = 0;
    std::uint64_t refused = 0;  // with an ErrorDetail
    std::uint64_t failed = 0;   // without one
    std::map<std::string, std::uint64_t> reasons;
    Histogram latency;
  };

  const Counts& Of(client::CallName name) const { return calls_[static_cast<std::size_t>(name)]; }

  const std::vector<client::CallName> names_;
  std::array<Counts, kCalls> calls_;
};

}  // namespace holdfast::fleet
