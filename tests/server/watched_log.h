// A log whose readers can be watched, and lied to: a test waits until one has come to the end, or has bytes changed on
// their way to it.
//
// Thread: as EventLog says; the rest from any.

#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "events/event_log.h"

namespace holdfast::server {

class WatchedLog final : public EventLog {
 public:
  explicit WatchedLog(EventLog& log) : log_(log) {}

  // Blocks from this one on come with their last byte changed.
  void DamageFrom(Sequence first) {
    const std::lock_guard<std::mutex> lock(mutex_);
    damaged_from_ = first;
  }
  // Until a reader has found nothing after `last`.
  void WaitUntilReadThrough(Sequence last) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return read_through_ >= last; });
  }

  absl::Status Append(const AppendRequest& request) override { return log_.Append(request); }
  Sequence Tip() const override { return log_.Tip(); }
  absl::StatusOr<std::unique_ptr<BlockReader>> NewReader(Sequence from) const override {
    absl::StatusOr<std::unique_ptr<BlockReader>> reader = log_.NewReader(from);
    if (!reader.ok()) return reader;
    return std::make_unique<Reader>(*this, *std::move(reader));
  }
  absl::StatusOr<std::vector<SideRow>> OwnershipPeriods(std::string_view prefix, std::string_view after,
                                                        std::size_t limit) const override {
    return log_.OwnershipPeriods(prefix, after, limit);
  }
  std::uint64_t SizeBytes() const override { return log_.SizeBytes(); }

 private:
  class Reader final : public BlockReader {
   public:
    Reader(const WatchedLog& log, std::unique_ptr<BlockReader> reader) : log_(log), reader_(std::move(reader)) {}
    absl::StatusOr<std::optional<StoredBlock>> Next() override {
      const Sequence tip = log_.Tip();
      absl::StatusOr<std::optional<StoredBlock>> block = reader_->Next();
      if (!block.ok()) return block;
      const std::lock_guard<std::mutex> lock(log_.mutex_);
      if (!block->has_value()) {
        log_.read_through_ = tip;
        log_.changed_.notify_all();
      } else if (log_.damaged_from_ && (*block)->first >= *log_.damaged_from_) {
        (*block)->block.back() ^= 1;
      }
      return block;
    }

   private:
    const WatchedLog& log_;
    const std::unique_ptr<BlockReader> reader_;
  };

  EventLog& log_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::optional<Sequence> damaged_from_;  // guarded by mutex_
  mutable Sequence read_through_;         // guarded by mutex_
};

}  // namespace holdfast::server
