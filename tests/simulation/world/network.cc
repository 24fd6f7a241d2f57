#include "tests/simulation/world/network.h"

#include <algorithm>

namespace holdfast::simulation {

Micros Network::Delay() {
  if (!world_.faults.Strikes(Fault::kMessageLate)) return world_.Between(200, 4 * kMillisecond);
  return world_.random.Chance(1, 4) ? world_.Between(kSecond, 25 * kSecond)
                                    : world_.Between(30 * kMillisecond, 2 * kSecond);
}

void Network::Send(Link& link, Micros& last_arrival, const std::function<void()>& arrive) {
  if (IsCut(link) || world_.faults.Strikes(Fault::kMessageLost)) return;
  const Micros arrival = world_.time.now() + Delay();
  if (arrival < last_arrival) world_.faults.Note(Fault::kMessageOvertaken);
  last_arrival = std::max(last_arrival, arrival);
  world_.time.At(arrival, arrive);
}

void Network::SendUp(Link& link, bool may_repeat, const std::function<void()>& arrive) {
  Send(link, link.last_arrival_up, arrive);
  if (may_repeat && world_.faults.Strikes(Fault::kMessageTwice)) {
    world_.time.After(Delay() + world_.Between(0, world_.random.Chance(1, 3) ? 20 * kSecond : kSecond), arrive);
  }
}

void Network::SendDown(Link& link, const std::function<void()>& arrive) { Send(link, link.last_arrival_down, arrive); }

Micros Network::SendInOrder(const Link& link, Micros not_before, const std::function<void()>& arrive) {
  if (IsCut(link) || world_.faults.Strikes(Fault::kStreamDead)) return 0;
  const Micros arrival = std::max(not_before, world_.time.now() + Delay());
  world_.time.At(arrival, arrive);
  return arrival;
}

}  // namespace holdfast::simulation
