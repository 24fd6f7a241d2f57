#include "tools/cli/interrupt.h"

#include <utility>

namespace holdfast::cli {

void Interrupt::Request() {
  std::lock_guard lock(mutex_);
  if (requested_) return;
  requested_ = true;
  for (const auto& [handle, callback] : callbacks_) callback();
  changed_.notify_all();
}

bool Interrupt::Requested() const {
  std::lock_guard lock(mutex_);
  return requested_;
}

bool Interrupt::WaitFor(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this] { return requested_; });
}

std::uint64_t Interrupt::Add(std::function<void()> callback) {
  std::lock_guard lock(mutex_);
  if (requested_) callback();
  const std::uint64_t handle = next_handle_++;
  callbacks_.emplace(handle, std::move(callback));
  return handle;
}

void Interrupt::Remove(std::uint64_t handle) {
  std::lock_guard lock(mutex_);
  callbacks_.erase(handle);
}

}  // namespace holdfast::cli
