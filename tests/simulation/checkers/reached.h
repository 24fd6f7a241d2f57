// What a run came to see, counted by group and name: events, rejections, lifecycle edges, faults, operations.
//
// Thread: a plain value. Ordered, so that it prints the same each time.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace holdfast::simulation {

class Reached {
 public:
  using Counts = std::map<std::pair<std::string, std::string>, std::uint64_t>;

  void Count(const std::string& group, const std::string& name, std::uint64_t times = 1) {
    if (times > 0) counts_[{group, name}] += times;
  }
  void Add(const Reached& other) {
    for (const auto& [key, times] : other.counts_) counts_[key] += times;
  }
  std::uint64_t count(const std::string& group, const std::string& name) const {
    const auto found = counts_.find({group, name});
    return found == counts_.end() ? 0 : found->second;
  }
  const Counts& counts() const { return counts_; }

 private:
  Counts counts_;
};

}  // namespace holdfast::simulation
