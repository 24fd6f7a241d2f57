// The switch of the planted faults: which of them is in force. Only copies of sources that plant.py has altered include
// this, and only the canary is built from them; the product and the simulation know nothing of it.
//
// Thread: one.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::simulation {

// The name of the fault that is in force; empty: none.
inline std::string& PlantedFault() {
  static auto& name = *new std::string;
  return name;
}

inline bool Planted(std::string_view name) { return PlantedFault() == name; }

// The items in an order that differs from time to time, as a walk over a hash map's would from run to run.
template <class Set>
std::vector<typename Set::value_type> PlantedOrder(std::string_view name, const Set& items) {
  static std::uint64_t salt = 0;
  std::vector<typename Set::value_type> order(items.begin(), items.end());
  if (!Planted(name)) return order;
  ++salt;
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    const auto mix = [](std::uint64_t value) { return (value + salt) * 0x9E3779B97F4A7C15ULL >> 7; };
    return mix(a.value()) < mix(b.value());
  });
  return order;
}

}  // namespace holdfast::simulation
