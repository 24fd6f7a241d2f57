#include "client/validity_clock.h"

namespace holdfast::client {
namespace {

constexpr std::int64_t kServerScale = 500;
constexpr std::int64_t kBootScale = 501;

std::int64_t DivideRoundingUp(std::int64_t dividend, std::int64_t divisor) {
  const std::int64_t quotient = dividend / divisor;
  return quotient + (dividend % divisor > 0 ? 1 : 0);
}

}  // namespace

void ValidityClock::AddSample(LogTime server_time, BootTime sent_at) {
  const std::int64_t offset =
      kServerScale * server_time.time_since_epoch().count() - kBootScale * sent_at.time_since_epoch().count();
  std::int64_t lowest = scaled_offset_.load(std::memory_order_relaxed);
  while (offset < lowest && !scaled_offset_.compare_exchange_weak(lowest, offset, std::memory_order_release)) {
  }
}

bool ValidityClock::has_sample() const { return scaled_offset_.load(std::memory_order_acquire) != kNoSample; }

LogTime ValidityClock::Latest(BootTime now) const {
  const std::int64_t offset = scaled_offset_.load(std::memory_order_acquire);
  return LogTime(Duration(DivideRoundingUp(offset + kBootScale * now.time_since_epoch().count(), kServerScale)));
}

bool ValidityClock::IsOver(LogTime limit, BootTime now) const { return !has_sample() || Latest(now) >= limit; }

BootTime ValidityClock::WhenOver(LogTime limit) const {
  const std::int64_t offset = scaled_offset_.load(std::memory_order_acquire);
  if (offset == kNoSample) return BootTime::min();
  // clock_max rounds up, so it reaches the limit when the exact value is above limit - 1.
  const std::int64_t above = kServerScale * (limit.time_since_epoch().count() - 1) - offset;
  return BootTime(Duration(DivideRoundingUp(above + 1, kBootScale)));
}

}  // namespace holdfast::client
