// One atomic pointer to the current view. Readers pin it without a lock and without waiting; the client's thread swaps
// it and frees old views once nobody can still be reading them.
//
// How: a reader counts itself in under the phase in force, then loads the pointer. A retired view is freed when the
// count of either phase was seen at zero after the swap: a reader of the old view counted itself in before the swap,
// in one of the two. The phases alternate so that each comes to zero under steady reading.
// Any thread: Pin. One thread: Swap, Collect. Destroy only when no pin is left. A pin is short: never held over a wait.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "client/snapshot_view.h"

namespace holdfast::client {

class ViewCell {
 public:
  class PinnedView {
   public:
    explicit PinnedView(ViewCell& cell) : count_(&cell.readers_[cell.phase_.load(std::memory_order_seq_cst)].value) {
      count_->fetch_add(1, std::memory_order_seq_cst);
      view_ = cell.current_.load(std::memory_order_seq_cst);
    }
    ~PinnedView() { count_->fetch_sub(1, std::memory_order_seq_cst); }
    PinnedView(const PinnedView&) = delete;
    PinnedView& operator=(const PinnedView&) = delete;

    const SnapshotView* get() const { return view_; }
    const SnapshotView* operator->() const { return view_; }
    explicit operator bool() const { return view_ != nullptr; }

   private:
    std::atomic<std::uint64_t>* count_;
    const SnapshotView* view_;
  };

  PinnedView Pin() { return PinnedView(*this); }

  // Whether `view` is still the current one.
  bool IsCurrent(const SnapshotView* view) const { return current_.load(std::memory_order_seq_cst) == view; }

  // The current view, for the thread that swaps.
  const SnapshotViewPointer& owned() const { return owned_; }

  void Swap(SnapshotViewPointer view) {
    current_.store(view.get(), std::memory_order_seq_cst);
    if (owned_) retired_.push_back({std::move(owned_), {false, false}});
    owned_ = std::move(view);
    Collect();
  }

  // Frees what nobody reads any more; called now and then.
  void Collect() {
    if (retired_.empty()) return;
    for (std::size_t phase = 0; phase < readers_.size(); ++phase) {
      if (readers_[phase].value.load(std::memory_order_seq_cst) != 0) continue;
      for (Retired& retired : retired_) retired.seen_empty[phase] = true;
    }
    std::erase_if(retired_, [](const Retired& retired) { return retired.seen_empty[0] && retired.seen_empty[1]; });
    phase_.store(1 - phase_.load(std::memory_order_seq_cst), std::memory_order_seq_cst);
  }

  std::size_t retired() const { return retired_.size(); }

 private:
  struct Retired {
    SnapshotViewPointer view;
    std::array<bool, 2> seen_empty;
  };
  struct alignas(64) Count {
    std::atomic<std::uint64_t> value{0};
  };

  std::atomic<const SnapshotView*> current_{nullptr};
  std::atomic<std::size_t> phase_{0};
  std::array<Count, 2> readers_;
  // Of the swapping thread.
  SnapshotViewPointer owned_;
  std::vector<Retired> retired_;
};

}  // namespace holdfast::client
