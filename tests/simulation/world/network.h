// The network between processes and the controller: messages arrive late, twice, out of order, or never.
//
// A Link belongs to one process. Unary calls and answers travel one by one; a stream's messages keep their order, and
// after the first that is lost none arrives any more. Thread: one.

#pragma once

#include <functional>

#include "tests/simulation/world/world.h"

namespace holdfast::simulation {

// So long a member waits for the answer to a call.
inline constexpr Micros kCallDeadline = 3 * kSecond;

struct Link {
  Micros cut_until = 0;  // nothing passes before
  Micros last_arrival_up = 0;
  Micros last_arrival_down = 0;
};

class Network {
 public:
  explicit Network(World& world) : world_(world) {}

  // A call on its way to the controller; one that may be repeated can arrive twice.
  void SendUp(Link& link, bool may_repeat, const std::function<void()>& arrive);
  // An answer on its way back.
  void SendDown(Link& link, const std::function<void()>& arrive);
  // A message of a stream, not before `not_before`. Its arrival; 0: it is lost, and the stream with it.
  Micros SendInOrder(const Link& link, Micros not_before, const std::function<void()>& arrive);

  bool IsCut(const Link& link) const { return link.cut_until > world_.time.now(); }
  Micros Delay();

 private:
  void Send(Link& link, Micros& last_arrival, const std::function<void()>& arrive);

  World& world_;
};

}  // namespace holdfast::simulation
