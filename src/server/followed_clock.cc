#include "server/followed_clock.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "server/daemon_log.h"

namespace holdfast::server {
namespace {

constexpr Duration kWorthSaying = std::chrono::milliseconds(100);

std::string Milliseconds(Duration duration) {
  return absl::StrCat(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count(), " ms");
}

}  // namespace

absl::StatusOr<std::unique_ptr<FollowedClock>> FollowedClock::Start(std::unique_ptr<ClockSampler> sampler,
                                                                    const BootClock& boot, const Options& options) {
  std::unique_ptr<FollowedClock> clock(new FollowedClock(std::move(sampler), boot, options));
  if (absl::Status status = clock->AwaitFirst(); !status.ok()) return status;
  clock->thread_ = std::thread([clock = clock.get()] { clock->Run(); });
  return clock;
}

FollowedClock::~FollowedClock() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

absl::Status FollowedClock::AwaitFirst() {
  absl::Status last;
  for (int tried = 0; tried < options_.first_tries; ++tried) {
    if (tried > 0) WaitForPeriod();
    const absl::StatusOr<ClockSample> sample = sampler_->Sample();
    if (sample.ok()) {
      clock_.Take(*sample);
      return absl::OkStatus();
    }
    last = sample.status();
  }
  return absl::UnavailableError(absl::StrCat(
      "clock.source: nobody tells the time (", last.message(), "), tried ", options_.first_tries,
      " times. The log's time never goes back, so the daemon does not start on a date that it may not believe: mend "
      "the other side, or start with clock.source=system if this machine's date is right"));
}

bool FollowedClock::WaitForPeriod() {
  std::unique_lock<std::mutex> lock(mutex_);
  return !wake_.wait_for(lock, options_.period, [this] { return stopped_; });
}

void FollowedClock::Run() {
  while (WaitForPeriod()) Follow();
}

void FollowedClock::Follow() {
  const absl::StatusOr<ClockSample> sample = sampler_->Sample();
  if (!sample.ok()) {
    if (std::exchange(away_, true)) return;
    return LogWarning(absl::StrCat("clock.source: nobody tells the time (", sample.status().message(),
                                   "); until then the date goes on by this machine's boot-time clock"));
  }
  const Duration moved = clock_.Take(*sample);
  if (std::exchange(away_, false)) {
    LogInfo(absl::StrCat("clock.source: the time is told again; the date is moved by ", Milliseconds(moved)));
  } else if (moved >= kWorthSaying || moved <= -kWorthSaying) {
    LogWarning(absl::StrCat("clock.source: the date that is told has moved by ", Milliseconds(moved)));
  }
}

}  // namespace holdfast::server
