// The event log on disk. docs/log_format.md: column families, options and their reasons, recovery.
//
//   Open ─────────► read and append, the only writer     (another process holds it: refused at once)
//   OpenReadOnly ─► read only, beside a live writer or not; Refresh shows what was committed meanwhile
//
// Called by the daemon and the replay tool. Thread: as EventLog says; Refresh from one thread at a time. Promises:
// those of EventLog; a torn end is dropped whole and told (TornEnd); damage that would lose an acknowledged block stops
// the opening and changes nothing; read-only changes no byte in the directory. Does not: verify the chain when it opens
// (only its meta and its last block); whoever folds the log does, with chain_verifier.h.

#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/append_check.h"
#include "events/event_log.h"

namespace rocksdb {
class Env;
}  // namespace rocksdb

namespace holdfast {

class RocksDbStore;

struct RocksDbLogOptions {
  // Table files kept open at once; log_directory.h knows how many may be.
  std::uint64_t open_tables = 512;
  // Bytes that the newest blocks take in memory before they become a table. RocksDB's own log is bounded by twice that.
  std::uint64_t memtable_bytes = std::uint64_t{64} << 20;
  // Tests put their own disk under it; null: the machine's.
  rocksdb::Env* environment = nullptr;
  // False only in the tests that show that syncing is what keeps blocks.
  bool sync = true;
};

class RocksDbLog final : public EventLog {
 public:
  // Makes the directory and the log where there are none. Unavailable: held by another process; DataLoss: damaged, with
  // the place; Unimplemented: of a newer program.
  static absl::StatusOr<std::unique_ptr<RocksDbLog>> Open(const std::string& path,
                                                          const RocksDbLogOptions& options = {});
  // NotFound: there is no log. Raises the limit of open files as far as the number of tables asks.
  static absl::StatusOr<std::unique_ptr<RocksDbLog>> OpenReadOnly(const std::string& path);
  ~RocksDbLog() override;

  absl::Status Append(const AppendRequest& request) override;
  Sequence Tip() const override;
  absl::StatusOr<std::unique_ptr<BlockReader>> NewReader(Sequence from) const override;
  absl::StatusOr<std::vector<SideRow>> OwnershipPeriods(std::string_view prefix, std::string_view after,
                                                        std::size_t limit) const override;
  std::uint64_t SizeBytes() const override;

  // Read-only: moves the tip on to what the writer has committed. On a writable log there is nothing to do.
  absl::Status Refresh();

  // nullopt while the log is empty.
  const std::optional<LogId>& log_id() const { return log_id_; }
  // What was torn off the end by the crash before this opening, for people; nullopt: nothing.
  const std::optional<std::string>& torn_end() const { return torn_end_; }

 private:
  struct Batch;

  RocksDbLog(std::shared_ptr<RocksDbStore> store, const RocksDbLogOptions& options, bool read_only);

  // Reads meta and the last block; sets the tip.
  absl::Status FindEnd();
  absl::Status FindEndOnce();
  absl::StatusOr<std::optional<BlockHeader>> ReadLastBlock() const;
  absl::Status CheckMeta();
  absl::Status Write(const AppendRequest& request, const BlockHeader& header);

  const std::shared_ptr<RocksDbStore> store_;
  const bool sync_;
  const bool read_only_;
  std::optional<LogId> log_id_;
  std::optional<std::string> torn_end_;
  absl::Status failed_;           // of the first append that failed: every later one gives it again
  std::unique_ptr<Batch> batch_;  // kept, so that its memory is
};

}  // namespace holdfast
