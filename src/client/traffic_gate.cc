#include "client/traffic_gate.h"

namespace holdfast::client {
namespace {

// A view changes seldom; whoever meets this many changes in one call is told "none" and may ask again.
constexpr int kViewChangesMax = 8;

}  // namespace

std::optional<Lease> TrafficGate::Reserve(std::uint64_t start, const Fits& fits) {
  for (int attempt = 0; attempt < kViewChangesMax; ++attempt) {
    if (shut()) return std::nullopt;
    const ViewCell::PinnedView view = views_.Pin();
    const BootTime now = clock_();
    if (!view || now >= view->stale_at || view->clock->IsOver(view->valid_until, now)) return std::nullopt;
    std::optional<Lease> lease = ReserveIn(*view.get(), start, fits, GrantUse::kCandidate, now);
    if (!lease) lease = ReserveIn(*view.get(), start, fits, GrantUse::kLastResort, now);
    if (!lease) return std::nullopt;
    // A thread that was held up since it looked at the clock looks again: its reservation counts from now.
    const BootTime reserved_at = clock_();
    const bool in_time = reserved_at < view->stale_at && !view->clock->IsOver(view->valid_until, reserved_at);
    if (views_.IsCurrent(view.get()) && !shut() && in_time) return lease;
  }
  return std::nullopt;
}

std::optional<Lease> TrafficGate::ReserveIn(const SnapshotView& view, std::uint64_t start, const Fits& fits,
                                            GrantUse wanted, BootTime now) {
  std::optional<Lease> lease;
  const auto size = view.grants->size();
  if (size == 0) return lease;
  view.grants->FindFrom(start % size, [&](const GrantRowPointer& row) {
    if (row->use != wanted || !fits(*row)) return false;
    if (view.clock->IsOver(row->usable_until, now) || view.clock->IsOver(row->expires_at, now)) return false;
    if (!row->slot->TryReserve(row->grant.capacity())) return false;
    lease.emplace(row);
    return true;
  });
  return lease;
}

}  // namespace holdfast::client
