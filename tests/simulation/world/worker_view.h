// What a simulated worker was given: one version of its content, taken and checked.
//
// Immutable once taken. Thread: one.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/simulation/world/session_clock.h"
#include "tools/judge/content.h"

namespace holdfast::simulation {

struct WorkerView {
  std::string session_id;
  std::shared_ptr<const SessionClock> clock;  // of its session: no other judges its times
  std::uint64_t epoch = 0;
  std::uint64_t version = 0;
  std::int64_t valid_until_us = 0;
  std::int64_t lapse_grace_us = 0;
  std::string checksum;
  judge::ContentPointer content;
};

using ViewPointer = std::shared_ptr<const WorkerView>;

}  // namespace holdfast::simulation
