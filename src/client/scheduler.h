// Where a client's own code runs and how it waits: one thread (or a test) that runs tasks one after another.
//
// Hundreds of clients share one. Post: any thread. The rest: on the scheduler's thread. Tasks due at the same instant
// run in the order in which they were given. Now() is the boot-time clock, nothing else.

#pragma once

#include <cstdint>
#include <functional>

#include "client/client_time.h"

namespace holdfast::client {

class Scheduler {
 public:
  using Task = std::function<void()>;
  using TimerId = std::uint64_t;  // 0: none

  virtual ~Scheduler() = default;

  virtual BootTime Now() const = 0;
  virtual void Post(Task task) = 0;
  // Runs `task` once, at `at` or as soon after it as can be.
  virtual TimerId RunAt(BootTime at, Task task) = 0;
  // No effect where it has run, or for 0.
  virtual void Cancel(TimerId timer) = 0;
};

}  // namespace holdfast::client
