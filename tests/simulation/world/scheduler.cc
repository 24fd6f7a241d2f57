#include "tests/simulation/world/scheduler.h"

#include <algorithm>

namespace holdfast::simulation {

void Scheduler::At(Micros when, std::function<void()> what) {
  due_.emplace(std::pair(std::max(when, now_), ++asked_), std::move(what));
}

void Scheduler::RunUntil(Micros until, const std::function<bool()>& stop) {
  while (!due_.empty() && due_.begin()->first.first <= until) {
    auto first = due_.extract(due_.begin());
    now_ = first.key().first;
    ++happened_;
    first.mapped()();
    if (stop()) return;
  }
  now_ = until;
}

}  // namespace holdfast::simulation
