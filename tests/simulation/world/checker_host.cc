#include "tests/simulation/world/checker_host.h"

#include <string>
#include <utility>

namespace holdfast::simulation {
CheckerHost::CheckerHost(World& world, Network& network, Controller& controller, CheckerIdentity identity)
    : world_(world),
      network_(network),
      controller_(controller),
      identity_(std::move(identity)),
      clock_(world.Between(-kMostDrift, kMostDrift)) {
  Start();
}

void CheckerHost::Start() {
  std::string instance_id =
      "i" + std::to_string(processes_.size() + 1) + "-" + std::to_string(world_.random.Below(1'000'000));
  processes_.push_back(
      std::make_unique<CheckerProcess>(world_, network_, controller_, clock_, identity_, std::move(instance_id)));
  current().Start();
}

void CheckerHost::StartAfter(Micros delay) {
  if (start_scheduled_) return;
  start_scheduled_ = true;
  world_.time.After(delay, [this] {
    start_scheduled_ = false;
    if (!current().alive()) Start();
  });
}

void CheckerHost::Crash() {
  current().Die();
  StartAfter(world_.random.Chance(1, 3) ? world_.Between(0, 200 * kMillisecond) : world_.Between(0, 30 * kSecond));
}

void CheckerHost::Replace() {
  if (!current().alive()) return;
  CheckerProcess& old = current();
  if (world_.random.Chance(1, 2)) old.CutOff(world_.Between(5 * kSecond, 40 * kSecond));
  world_.time.After(world_.Between(5 * kSecond, 60 * kSecond), [&old] { old.Die(); });
  Start();
}

void CheckerHost::Leave() {
  if (!current().alive() || current().leaving()) return;
  current().Leave();
  // Looks now and then whether it is gone.
  world_.time.After(world_.Between(2 * kSecond, 20 * kSecond), [this] { StartAfter(0); });
  world_.time.After(95 * kSecond, [this] { StartAfter(0); });
}

void CheckerHost::BeAlone() {
  for (std::size_t i = 0; i + 1 < processes_.size(); ++i) processes_[i]->Die();
  current().EndFaults();
  if (!current().alive()) Start();
}

}  // namespace holdfast::simulation
