// Reads the blocks of a RocksDB log in order: through an iterator while it catches up, block by block at the end.
//
// Called by recovery, the follower and the replay tool. Thread: one at a time, beside an append. Promises: no block
// past the store's tip; a missing block or bytes that cannot be read are an error with the sequence, never skipped.
// While it is in the middle of the log it keeps old files from being deleted: drop a reader that is not needed. Does
// not: check hashes (chain_verifier.h).

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "events/event_log.h"
#include "events/rocksdb_store.h"

namespace holdfast {

class RocksDbReader final : public BlockReader {
 public:
  RocksDbReader(std::shared_ptr<const RocksDbStore> store, Sequence from);

  absl::StatusOr<std::optional<StoredBlock>> Next() override;

 private:
  // Finds the block that holds `from_`, or the first kept.
  absl::Status Locate();
  absl::Status ReadBlock(std::string* block);
  absl::Status ReadPoint(std::string* block);
  absl::Status ReadScan(std::string* block);
  absl::Status ReadBulk(StoredBlock* block);
  absl::Status ReadBulkOnce(StoredBlock* block);
  // Beside a writer: something is missing that may only have moved. True: look once more.
  bool LookAgain();
  // `what` went wrong at the block that begins at next_.
  absl::Status AtNext(const absl::Status& status) const;
  absl::Status Missing(std::uint64_t found) const;

  const std::shared_ptr<const RocksDbStore> store_;
  const std::uint64_t from_;
  std::uint64_t next_ = 0;                     // first sequence of the next block; 0: not located yet
  int points_ = 0;                             // blocks read one by one since the end was last seen
  std::uint64_t complete_to_ = 0;              // beside a writer: up to here what is missing is missing
  std::unique_ptr<rocksdb::Iterator> blocks_;  // null: none open
  std::unique_ptr<rocksdb::Iterator> bulk_;
};

}  // namespace holdfast
