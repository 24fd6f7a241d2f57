// Reads the log for ReadLog, a slice at a time: parses, filters, renders.
//
// Called on the reader pool's threads, one at a time; belongs to one stream. Promises: the lines of a slice are in
// order and complete up to next(); work and bytes of a slice are bounded, whatever the filter leaves out. One block is
// held between slices, and at the end of the log nothing but its place. Does not: wait for the log to grow.

#pragma once

#include <absl/status/status.h>

#include <memory>
#include <optional>

#include "controller/log_filter.h"
#include "events/block_view.h"
#include "events/event_log.h"
#include "holdfast/audit/v1/audit.pb.h"

namespace holdfast::server {

// What a request filters by. Requires: it is well formed (read_validate.h).
LogFilterSettings FilterOf(const audit::v1::ReadLogRequest& request);

// The first sequence that the log still has. NotFound: it is empty.
absl::StatusOr<Sequence> FirstKept(const EventLog& log);

class LogScan {
 public:
  static constexpr int kLinesPerSlice = 500;
  static constexpr std::size_t kBytesPerSlice = 256 * 1024;  // about; one line may be larger
  static constexpr std::size_t kBytesPerLine =
      3 * 1024 * 1024;  // about; more is cut (log_render.h), for a client's usual limit
  static constexpr std::size_t kEntriesPerSlice = 10'000;  // looked at

  // from: above 0. log must outlive the scan.
  LogScan(const EventLog& log, Sequence from, LogFilterSettings filter)
      : log_(log), next_(from), filter_(std::move(filter)) {}

  void Seed(const ControllerState& state) { filter_.Seed(state); }

  // Appends the next lines. DataLoss, Unimplemented: an entry that cannot be read, with its sequence.
  absl::Status Step(audit::v1::ReadLogResponse* out);

  // The last Step has seen all that is committed.
  bool at_end() const { return at_end_; }
  // The first sequence that was not looked at.
  Sequence next() const { return next_; }

 private:
  // False: the end.
  absl::StatusOr<bool> FindEntry();
  absl::Status TakeEntry(const EntryView& entry, audit::v1::ReadLogResponse* out);

  const EventLog& log_;
  Sequence next_;
  LogFilter filter_;
  std::unique_ptr<BlockReader> reader_;
  std::optional<StoredBlock> block_;  // what view_ looks into
  BlockView view_;
  std::size_t index_ = 0;  // of the next entry in view_
  EntryMessages messages_;
  Sha256 hasher_;
  std::size_t bytes_ = 0;  // of this slice
  bool at_end_ = false;
};

}  // namespace holdfast::server
