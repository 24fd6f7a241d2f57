// The event log in memory, for tests and the simulation: the same promises as on disk, and the same accidents on
// demand.
//
//   Append ─► synced (default) ─► Crash keeps it
//   SetSyncOnAppend(false): Append ─► acknowledged, not synced ─► Crash drops it, Sync saves it  (a disk that lies)
//
// Thread: as EventLog says; the accidents from the appending thread. Does not: survive its process.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "events/append_check.h"
#include "events/event_log.h"

namespace holdfast {

class MemoryLog final : public EventLog {
 public:
  // What a failed append left behind; the writer cannot tell which.
  enum class Failure { kNothingWritten, kWrittenButNotAcknowledged };

  MemoryLog();
  ~MemoryLog() override;

  absl::Status Append(const AppendRequest& request) override;
  Sequence Tip() const override;
  absl::StatusOr<std::unique_ptr<BlockReader>> NewReader(Sequence from) const override;
  absl::StatusOr<std::vector<SideRow>> OwnershipPeriods(std::string_view prefix, std::string_view after,
                                                        std::size_t limit) const override;
  std::uint64_t SizeBytes() const override;

  // The `nth` append from now fails (1: the next one), and after it every other until Crash.
  void FailAppend(std::uint64_t nth, Failure failure);
  void SetSyncOnAppend(bool sync) { sync_on_append_ = sync; }
  void Sync();
  // What was not synced is gone and the log is usable again, as after a restart. Readers from before see an error.
  void Crash();

  // Takes the bodies of the bulky inputs before `before` away, as retention does.
  void DropBulk(Sequence before);
  // Changes what is stored, to see who notices. Requires: a block that begins at `first`. Empty `block`: it is gone.
  void ReplaceBlock(Sequence first, std::string block);

 private:
  struct Content;
  class Reader;

  std::shared_ptr<Content> content_;
  bool sync_on_append_ = true;
  std::uint64_t fail_in_ = 0;  // appends until the one that fails; 0: none
  Failure failure_ = Failure::kNothingWritten;
  absl::Status failed_;
};

}  // namespace holdfast
