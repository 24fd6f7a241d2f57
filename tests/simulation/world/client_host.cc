#include "tests/simulation/world/client_host.h"

#include <string>
#include <utility>

namespace holdfast::simulation {
ClientHost::ClientHost(World& world, Network& network, Controller& controller, ClientIdentity identity)
    : world_(world),
      network_(network),
      controller_(controller),
      identity_(std::move(identity)),
      clock_(world.Between(-kMostDrift, kMostDrift)) {
  Start();
}

void ClientHost::Start() {
  const std::string name = "p" + std::to_string(processes_.size() + 1);
  processes_.push_back(std::make_unique<ClientProcess>(world_, network_, controller_, clock_, identity_, name));
  current().Start();
}

void ClientHost::Vanish() {
  if (!current().alive()) return;
  current().Die();
  world_.time.After(world_.Between(100 * kMillisecond, 20 * kSecond), [this] {
    if (!resting_) Start();
  });
}

void ClientHost::Rest() {
  resting_ = true;
  current().EndFaults();
  if (current().alive()) current().Rest();
}

}  // namespace holdfast::simulation
