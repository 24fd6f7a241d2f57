// One kind of call: how often it ended how, and how long its answers took.
//
// One thread at a time: whoever holds it locks.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>

#include "client/call_result.h"
#include "tools/fleet/histogram.h"

namespace holdfast::fleet {

// Counts a second; 0 where no time has passed.
double Rate(std::uint64_t count, std::chrono::microseconds elapsed);

// "TITLE NAME COUNT NAME COUNT", or "TITLE none", and a new line.
void PrintCounts(std::ostream& out, const char* title, const std::map<std::string, std::uint64_t>& counts);

class CallCounts {
 public:
  void Count(const client::CallResult& result);
  // Of one of those that were counted.
  void CountLatency(std::chrono::microseconds took) { latency_.Add(took.count()); }

  std::uint64_t ok() const { return ok_; }
  std::uint64_t refused() const { return refused_; }
  // How often each reason was given.
  const std::map<std::string, std::uint64_t>& reasons() const { return reasons_; }

  // A line of a table, and the titles of its columns.
  static void PrintTitles(std::ostream& out);
  void Print(std::ostream& out, std::string_view name, std::chrono::microseconds elapsed) const;
  nlohmann::json Json(std::chrono::microseconds elapsed) const;

 private:
  std::uint64_t ok_ = 0;
  std::uint64_t refused_ = 0;  // with an ErrorDetail
  std::uint64_t failed_ = 0;   // without one
  std::map<std::string, std::uint64_t> reasons_;
  Histogram latency_;
};

}  // namespace holdfast::fleet
