// A log whose appends can be held back, and whose readers can be lied to: what a disk that takes its time, or loses
// bits, looks like from above.
//
// Thread: as EventLog says; Hold and Release from any. Release before it is destroyed.

#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "events/memory_log.h"
#include "tests/server/watched_log.h"

namespace holdfast::server {

class GatedLog final : public EventLog {
 public:
  void Hold() {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_ = true;
  }
  void Release() {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  // From now on whoever reads the log finds the last byte of every block changed.
  void DamageReads() { watched_.DamageFrom(Sequence(0)); }
  // Until an append waits at the gate.
  void WaitUntilHeld() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return waiting_; });
  }

  absl::Status Append(const AppendRequest& request) override {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      waiting_ = held_;
      changed_.notify_all();
      changed_.wait(lock, [&] { return !held_; });
      waiting_ = false;
    }
    return log_.Append(request);
  }
  Sequence Tip() const override { return log_.Tip(); }
  absl::StatusOr<std::unique_ptr<BlockReader>> NewReader(Sequence from) const override {
    return watched_.NewReader(from);
  }
  absl::StatusOr<std::vector<SideRow>> OwnershipPeriods(std::string_view prefix, std::string_view after,
                                                        std::size_t limit) const override {
    return log_.OwnershipPeriods(prefix, after, limit);
  }
  std::uint64_t SizeBytes() const override { return log_.SizeBytes(); }

 private:
  MemoryLog log_;
  WatchedLog watched_{log_};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;     // guarded by mutex_
  bool waiting_ = false;  // guarded by mutex_
};

}  // namespace holdfast::server
