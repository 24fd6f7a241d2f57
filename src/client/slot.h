// One word for one proxy: closed, reserved, active. It lives outside the views and as long as anyone holds it.
//
//     free ─TryReserve─► reserved ─Activate─► active ─EndActive─► free        Close: no TryReserve succeeds any more
//
// Called by the request path (any thread) and the client's thread; every operation is one atomic step on one word, so
// whoever reads sees a count that was true at one moment. Close() before an ACK is what makes the ACK true: a reader
// that still holds the old view fails in TryReserve. Does not know whether the proxy is a candidate.

#pragma once

#include <atomic>
#include <cstdint>

namespace holdfast::client {

struct SlotState {
  bool closed = false;
  std::uint32_t reserved = 0;
  std::uint32_t active = 0;
  bool InUse() const { return reserved != 0 || active != 0; }
};

class Slot {
 public:
  // False when closed, or when `capacity` requests are reserved or active already.
  bool TryReserve(std::uint32_t capacity) {
    std::uint64_t word = word_.load(std::memory_order_acquire);
    while (true) {
      const SlotState state = Decode(word);
      if (state.closed || std::uint64_t{state.reserved} + state.active >= capacity) return false;
      if (word_.compare_exchange_weak(word, word + kOneReserved, std::memory_order_acq_rel)) return true;
    }
  }

  // Requires of these three: the caller holds a reservation, or an active request.
  void Activate() { word_.fetch_add(kOneActive - kOneReserved, std::memory_order_acq_rel); }
  void EndReserved() { word_.fetch_sub(kOneReserved, std::memory_order_acq_rel); }
  void EndActive() { word_.fetch_sub(kOneActive, std::memory_order_acq_rel); }

  // A slot begins closed: no view has listed it yet. Sequentially consistent: the ACK comes after it.
  void Close() { word_.fetch_or(kClosed, std::memory_order_seq_cst); }
  void Open() { word_.fetch_and(~kClosed, std::memory_order_seq_cst); }

  SlotState Read() const { return Decode(word_.load(std::memory_order_seq_cst)); }

 private:
  static constexpr std::uint64_t kOneActive = 1;
  static constexpr std::uint64_t kOneReserved = std::uint64_t{1} << 31;
  static constexpr std::uint64_t kCountMask = kOneReserved - 1;
  static constexpr std::uint64_t kClosed = std::uint64_t{1} << 63;

  static SlotState Decode(std::uint64_t word) {
    return {.closed = (word & kClosed) != 0,
            .reserved = static_cast<std::uint32_t>(word >> 31 & kCountMask),
            .active = static_cast<std::uint32_t>(word & kCountMask)};
  }

  std::atomic<std::uint64_t> word_{kClosed};
};

}  // namespace holdfast::client
