// What befalls a simulated world once a step, and not at a message, a block or a task: of its workers, its checkers,
// its proxies, its controller.
//
// Called by the run before each step. Thread: one.

#pragma once

#include "tests/simulation/world/operation.h"

namespace holdfast::simulation {

void Misfortune(Scene& scene);

}  // namespace holdfast::simulation
