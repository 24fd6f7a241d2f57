// What the request path asks: a proxy to use now, or none. Takes no lock, waits for nobody, asks no one else.
//
// Reserve: any thread. The rest: the client's thread. No candidate past valid_until of the view or usable_until of the
// proxy (by the session's clock), past max_stale_age without a valid update, while the gate is shut, or where the slot
// is closed or full. A reservation made on a view that is no longer the current one is undone and made anew.
// Does not route: the caller says which rows fit.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "client/lease.h"
#include "client/view_cell.h"

namespace holdfast::client {

class TrafficGate {
 public:
  using BootClock = std::function<BootTime()>;
  using Fits = std::function<bool(const GrantRow&)>;

  explicit TrafficGate(BootClock clock) : clock_(std::move(clock)) {}

  // A reserved proxy that `fits`, searched from row `start` modulo the size on (so that callers spread), SUSPECT ones
  // only where no ACTIVE one serves; or nothing.
  std::optional<Lease> Reserve(std::uint64_t start, const Fits& fits);

  // No new reservation until Open: the session drains, or the worker stops.
  void Shut() { shut_.store(true, std::memory_order_seq_cst); }
  void Open() { shut_.store(false, std::memory_order_seq_cst); }
  bool shut() const { return shut_.load(std::memory_order_seq_cst); }

  ViewCell& views() { return views_; }

 private:
  std::optional<Lease> ReserveIn(const SnapshotView& view, std::uint64_t start, const Fits& fits, GrantUse wanted,
                                 BootTime now);

  const BootClock clock_;
  std::atomic<bool> shut_{false};
  ViewCell views_;
};

}  // namespace holdfast::client
