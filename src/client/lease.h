// One request's hold on a proxy: reserved, then active, ended by the destructor.
//
// Given out by TrafficGate to the request path; movable, one owner, any thread. Keeps row and slot alive. Does not
// notice a cut by itself: the owner of what runs is told by WorkerObserver::OnCut and ends it.

#pragma once

#include <utility>

#include "client/grant_row.h"

namespace holdfast::client {

class Lease {
 public:
  // Requires: one reservation was made in row->slot.
  explicit Lease(GrantRowPointer row) : row_(std::move(row)) {}
  Lease(Lease&& other) noexcept : row_(std::move(other.row_)), active_(other.active_) { other.row_ = nullptr; }
  Lease& operator=(Lease&& other) noexcept {
    if (this == &other) return *this;
    End();
    row_ = std::exchange(other.row_, nullptr);
    active_ = other.active_;
    return *this;
  }
  ~Lease() { End(); }

  // The request runs from here on. Requires: not ended.
  void Activate() {
    if (!active_) row_->slot->Activate();
    active_ = true;
  }
  void End() {
    if (!row_) return;
    active_ ? row_->slot->EndActive() : row_->slot->EndReserved();
    row_ = nullptr;
  }

  const GrantRow& row() const { return *row_; }
  bool active() const { return active_; }

 private:
  GrantRowPointer row_;
  bool active_ = false;
};

}  // namespace holdfast::client
