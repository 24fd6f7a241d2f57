#include "tools/cli/call_guard.h"

namespace holdfast::cli {

CallGuard::CallGuard(grpc::ClientContext& context, Interrupt& interrupt,
                     std::optional<std::chrono::microseconds> silence)
    : context_(context), interrupt_(interrupt), silence_(silence) {
  handle_ = interrupt_.Add([this] {
    std::lock_guard lock(mutex_);
    end_ = CallEnd::kInterrupted;
    context_.TryCancel();
  });
  watcher_ = std::thread([this] { Watch(); });
}

CallGuard::~CallGuard() {
  interrupt_.Remove(handle_);
  {
    std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  watcher_.join();
}

void CallGuard::Touch() {
  std::lock_guard lock(mutex_);
  ++touches_;
  changed_.notify_all();
}

void CallGuard::Allow(std::optional<std::chrono::microseconds> silence) {
  std::lock_guard lock(mutex_);
  silence_ = silence;
  ++touches_;
  changed_.notify_all();
}

CallEnd CallGuard::end() const {
  std::lock_guard lock(mutex_);
  return end_;
}

void CallGuard::Watch() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    const std::uint64_t seen = touches_;
    const auto moved = [&] { return over_ || touches_ != seen; };
    if (!silence_) {
      changed_.wait(lock, moved);
      continue;
    }
    if (changed_.wait_for(lock, *silence_, moved)) continue;
    if (end_ == CallEnd::kByItself) end_ = CallEnd::kSilence;
    context_.TryCancel();
    return;
  }
}

}  // namespace holdfast::cli
