#include "tools/cli/retry_wait.h"

#include <algorithm>

namespace holdfast::cli {

RetryWait::RetryWait(Environment& environment, std::optional<std::chrono::microseconds> patience)
    : environment_(environment), patience_(patience) {}

bool RetryWait::Wait(std::chrono::microseconds at_least) {
  if (!backoff_) backoff_.emplace(session::BackoffSettings(), environment_.random);
  if (patience_ && waited_ >= *patience_) return false;
  last_ = std::max<std::chrono::microseconds>(backoff_->NextDelay(), at_least);
  waited_ += last_;
  return environment_.wait(std::chrono::ceil<std::chrono::milliseconds>(last_));
}

void RetryWait::Progress() {
  backoff_.reset();
  waited_ = {};
}

}  // namespace holdfast::cli
