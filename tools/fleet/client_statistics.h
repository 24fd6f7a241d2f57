// What the fleet counts of its clients: calls and their latencies, extractions, and what became of the machines.
//
//   extracted = released + expired + held + those of a release without an answer
//
// Count methods: any thread. Printing: at the end, or a part of the line of progress at any time.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/fleet/call_counts.h"

namespace holdfast::fleet {

class ClientStatistics {
 public:
  // A latency is that of a call that was answered well: a refusal waits for nothing, or for the pool store.
  void CountExtract(const client::CallResult& result, std::chrono::microseconds took);
  void CountRelease(const client::CallResult& result, std::chrono::microseconds took);
  // A request was answered with machines for the first time.
  void CountExtracted(std::uint64_t machines);
  // A request was repeated that had its answer, to see that it is the same.
  void CountRepeated();
  // A request for which there were never enough.
  void CountGivenUp();
  void CountReleased(std::uint64_t machines);
  // They end by themselves: nobody gives them back.
  void CountExpired(std::uint64_t machines);
  // A request whose last word is not known asked for so many, or a release of so many has no answer.
  void CountAskedInDoubt(std::uint64_t machines);
  void CountReleaseInDoubt(std::uint64_t machines);
  void CountFault(const std::string& name);

  bool reached() const;  // some call was answered by a controller

  // A part of a line.
  std::string Progress() const;
  std::string Table(std::chrono::microseconds elapsed) const;
  nlohmann::json Json(std::chrono::microseconds elapsed) const;

 private:
  // Both require: lock held.
  std::uint64_t Held() const { return extracted_ - released_ - expired_ - release_in_doubt_; }
  std::map<std::string, std::uint64_t> Reasons() const;

  mutable std::mutex mutex_;  // guards all below
  CallCounts extract_;
  CallCounts release_;
  std::map<std::string, std::uint64_t> faults_;
  std::uint64_t extractions_ = 0;
  std::uint64_t repeated_ = 0;
  std::uint64_t given_up_ = 0;
  // Machines.
  std::uint64_t extracted_ = 0;
  std::uint64_t released_ = 0;
  std::uint64_t expired_ = 0;
  std::uint64_t asked_in_doubt_ = 0;
  std::uint64_t release_in_doubt_ = 0;
};

}  // namespace holdfast::fleet
