#include "server/daemon_housekeeping.h"

#include <chrono>

namespace holdfast::server {
namespace {

constexpr std::chrono::milliseconds kPeriod{100};
constexpr int kPeriodsOfTheSlow = 10;

}  // namespace

void Housekeeping::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Housekeeping::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Housekeeping::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (int period = 1; !wake_.wait_for(lock, kPeriod, [this] { return stopped_; }); ++period) {
    lock.unlock();
    often_();
    if (period % kPeriodsOfTheSlow == 0) now_and_then_();
    lock.lock();
  }
}

}  // namespace holdfast::server
