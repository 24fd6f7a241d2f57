// What every part of a simulated world shares: its time, its chance, its faults, what is true of its proxies, and those
// who watch it.
//
// Thread: one. Outlives all parts.

#pragma once

#include "tests/simulation/checkers/checkers.h"
#include "tests/simulation/world/faults.h"
#include "tests/simulation/world/scheduler.h"
#include "tests/simulation/world/truth.h"
#include "tools/fleet/prng.h"

namespace holdfast::simulation {

struct World {
  explicit World(std::uint64_t seed) : random(seed), faults(random, checkers.reached()), truth(random, time) {}

  Checkers checkers;
  Scheduler time;
  Prng random;
  FaultPlan faults;
  Truth truth;

  Micros Between(Micros least, Micros most) { return random.Between(least, most); }
};

}  // namespace holdfast::simulation
