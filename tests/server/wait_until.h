// Waits until what another thread does has come about; the ctest timeout is its bound.
//
// Thread: the test's. Nothing sleeps: the condition is looked at again and again.

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace holdfast::server {

template <class Condition>
void WaitUntil(Condition condition) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock<std::mutex> lock(mutex);
  while (!condition()) never.wait_for(lock, std::chrono::milliseconds(1));
}

}  // namespace holdfast::server
