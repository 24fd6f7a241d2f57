// Simulated time, and what happens when: the only clock of a simulated world.
//
// Thread: one. Promises: things happen in the order of their instants, those of one instant in the order in which they
// were asked for, so that a seed gives the same world each time. Nothing happens between two calls of RunUntil.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace holdfast::simulation {

// True simulated time, from 0; no machine of the world can read it.
using Micros = std::int64_t;

inline constexpr Micros kMillisecond = 1'000;
inline constexpr Micros kSecond = 1'000'000;

class Scheduler {
 public:
  Micros now() const { return now_; }

  void After(Micros delay, std::function<void()> what) { At(now_ + delay, std::move(what)); }
  void At(Micros when, std::function<void()> what);

  // Runs what is due up to `until`, that instant included. stop: asked after each; true ends it early.
  void RunUntil(Micros until, const std::function<bool()>& stop);

  std::uint64_t happened() const { return happened_; }

 private:
  Micros now_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t happened_ = 0;
  std::map<std::pair<Micros, std::uint64_t>, std::function<void()>> due_;
};

}  // namespace holdfast::simulation
