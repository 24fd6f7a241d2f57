#include "client/outcome_queue.h"

#include <utility>

namespace holdfast::client {

using controlplane::v1::Outcome;

void OutcomeQueue::Push(Outcome outcome) {
  const bool success = outcome.error() == controlplane::v1::OUTCOME_ERROR_NONE;
  const std::lock_guard lock(mutex_);
  if (successes_.size() + failures_.size() >= capacity_) {
    ++dropped_;
    // A failure takes the place of the oldest success; otherwise what comes last is dropped.
    if (success || successes_.empty()) return;
    successes_.pop_front();
  }
  (success ? successes_ : failures_).push_back(std::move(outcome));
}

std::vector<Outcome> OutcomeQueue::Take(std::size_t limit) {
  std::vector<Outcome> batch;
  const std::lock_guard lock(mutex_);
  for (std::deque<Outcome>* queue : {&failures_, &successes_}) {
    while (!queue->empty() && batch.size() < limit) {
      batch.push_back(std::move(queue->front()));
      queue->pop_front();
    }
  }
  return batch;
}

std::size_t OutcomeQueue::size() const {
  const std::lock_guard lock(mutex_);
  return successes_.size() + failures_.size();
}

std::uint64_t OutcomeQueue::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

void OutcomeQueue::ResetDropped() {
  const std::lock_guard lock(mutex_);
  dropped_ = 0;
}

}  // namespace holdfast::client
