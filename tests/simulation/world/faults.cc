#include "tests/simulation/world/faults.h"

namespace holdfast::simulation {
namespace {

struct Row {
  const char* name;
  std::uint32_t most;  // per ten thousand; 0: follows from others, never drawn
};

constexpr Row kRows[] = {
    {"message lost", 300},
    {"message late", 500},
    {"message twice", 300},
    {"message overtaken", 0},
    {"stream broken", 80},
    {"stream dead", 50},
    {"stream blocked", 300},
    {"update refused", 300},
    {"answer late", 200},
    {"refused update acknowledged late", 5'000},
    {"controller crash before sync", 10},
    {"controller crash before answer", 10},
    {"sync slow", 100},
    {"sync stalled", 6},
    {"write failed", 6},
    {"block torn off", 0},
    {"block kept unacknowledged", 0},
    {"process cut off", 60},
    {"worker paused", 60},
    {"worker mute", 25},
    {"worker crashed", 60},
    {"worker replaced, the old process goes on", 60},
    {"instance id cloned", 5'000},
    {"worker leaves", 50},
    {"controller crashed", 40},
    {"controller paused", 20},
    {"calls shed", 40},
    {"wall clock back", 30},
    {"wall clock ahead", 30},
    {"checker cut off", 40},
    {"checker paused", 40},
    {"checker crashed", 40},
    {"checker replaced, the old process goes on", 40},
    {"checker leaves", 40},
    {"checker stops reading", 30},
    {"checker lies", 40},
    {"uplink of a checker broken", 50},
    {"uplinks of all checkers broken", 30},
    {"checker blind", 40},
    {"proxy fails", 300},
    {"proxy returns", 300},
    {"many proxies die", 30},
    {"targets of a routing fail", 40},
    {"task slow", 300},
    {"task forgotten", 300},
    {"store slow", 300},
    {"store's call lost", 200},
    {"store's call late", 200},
    {"store's call twice", 300},
    {"store's answer lost", 200},
    {"store fails over while it is written anew", 400},
    {"store away", 50},
    {"store fails over", 25},
    {"store emptied", 10},
    {"store another log's", 6},
    {"store ahead", 5},
    {"store's call of long ago", 100},
    {"store written by a stale controller", 60},
    {"client cut off", 60},
    {"client paused", 60},
    {"client vanishes", 40},
    {"a day asleep", 4},
    {"restart on another boot", 4'000},
    {"restart with other settings", 2'000},
};
static_assert(std::size(kRows) == static_cast<std::size_t>(Fault::kCount));

constexpr std::uint64_t kWhole = 10'000;

}  // namespace

const char* FaultName(Fault fault) { return kRows[static_cast<std::size_t>(fault)].name; }

FaultPlan::FaultPlan(Prng& random, Reached& reached) : random_(random), reached_(reached) {
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const bool absent = random.Chance(1, 3);
    const std::uint64_t drawn = random.Below(kRows[i].most + 1);
    rates_[i] = absent ? 0 : static_cast<std::uint32_t>(drawn);
  }
}

bool FaultPlan::Strikes(Fault fault) {
  const std::uint32_t rate = rates_[static_cast<std::size_t>(fault)];
  if (quiet_ || rate == 0 || !random_.Chance(rate, kWhole)) return false;
  Note(fault);
  return true;
}

std::vector<std::pair<std::string, std::uint32_t>> FaultPlan::rates() const {
  std::vector<std::pair<std::string, std::uint32_t>> rates;
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    if (rates_[i] > 0) rates.emplace_back(kRows[i].name, rates_[i]);
  }
  return rates;
}

}  // namespace holdfast::simulation
