#include "server/update_message_builder.h"

#include <utility>

namespace holdfast::server {

UpdateBuilder::UpdateBuilder() : thread_([this] { Run(); }) {}

UpdateBuilder::~UpdateBuilder() { Stop(); }

void UpdateBuilder::Post(std::function<void()> job) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!stopped_) {
      jobs_.push_back(std::move(job));
      wake_.notify_one();
      return;
    }
  }
  job();
}

void UpdateBuilder::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void UpdateBuilder::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopped_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

}  // namespace holdfast::server
