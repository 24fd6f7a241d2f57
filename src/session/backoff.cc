#include "session/backoff.h"

#include <algorithm>
#include <utility>

namespace holdfast::session {

Backoff::Backoff(BackoffSettings settings, Generator generator)
    : settings_(settings), generator_(std::move(generator)) {}

Duration Backoff::NextDelay() {
  Duration base = settings_.first;
  for (std::uint32_t i = 0; i < attempts_ && base < settings_.limit; ++i) base *= 2;
  base = std::min(base, settings_.limit);
  if (attempts_ < UINT32_MAX) ++attempts_;

  const std::int64_t spread = base.count() * settings_.jitter_percent / 100;
  const std::uint64_t width = static_cast<std::uint64_t>(2 * spread) + 1;
  const std::int64_t jitter = static_cast<std::int64_t>(generator_() % width) - spread;
  return base + Duration(jitter);
}

void Backoff::SessionOpened(BootTime now) {
  opened_at_ = now;
  acknowledged_ = false;
}

void Backoff::SessionEnded(BootTime now) {
  if (opened_at_ && acknowledged_ && now - *opened_at_ >= settings_.stable_after) attempts_ = 0;
  opened_at_.reset();
  acknowledged_ = false;
}

}  // namespace holdfast::session
