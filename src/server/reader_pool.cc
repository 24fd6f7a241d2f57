#include "server/reader_pool.h"

#include <utility>

namespace holdfast::server {

ReaderPool::ReaderPool(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

ReaderPool::~ReaderPool() { Stop(); }

bool ReaderPool::Post(std::function<void()> job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stopped_) return false;
  jobs_.push_back(std::move(job));
  wake_.notify_one();
  return true;
}

void ReaderPool::Stop() {
  std::deque<std::function<void()>> dropped;  // destroyed without the lock: what they hold may answer a call
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    dropped.swap(jobs_);
    wake_.notify_all();
  }
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void ReaderPool::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopped_ || !jobs_.empty(); });
    if (stopped_) return;
    {
      const std::function<void()> job = std::exchange(jobs_.front(), nullptr);
      jobs_.pop_front();
      lock.unlock();
      job();
    }
    lock.lock();
  }
}

}  // namespace holdfast::server
