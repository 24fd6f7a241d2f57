// An open database with its column families: what the log and its readers share. It closes when the last of them goes.
//
// Called by the rocksdb_* files alone. Thread: any; `tip` says up to where readers may look.

#pragma once

#include <rocksdb/db.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "events/rocksdb_options.h"

namespace holdfast {

class RocksDbStore {
 public:
  // Takes what DB::Open gave. `owned_folder`: of a reader beside a writer, removed at the end; empty for the writer.
  RocksDbStore(std::string path, std::unique_ptr<rocksdb::DB> database,
               std::vector<rocksdb::ColumnFamilyHandle*> handles, std::string owned_folder);
  ~RocksDbStore();
  RocksDbStore(const RocksDbStore&) = delete;
  RocksDbStore& operator=(const RocksDbStore&) = delete;

  rocksdb::DB& database() const { return *database_; }
  rocksdb::ColumnFamilyHandle* family(ColumnFamily family) const { return handles_[static_cast<std::size_t>(family)]; }
  const std::string& path() const { return path_; }

  // Whether another process may be writing what this one reads.
  bool follows_writer() const { return !owned_folder_.empty(); }
  // Moves on to what the writer has committed. What was flushed meanwhile may be missing from the view until the next
  // call: its log was deleted after the list of tables was read. So whoever misses a key calls it once more. Requires:
  // follows_writer().
  rocksdb::Status CatchUp() const;

  // Last committed sequence.
  std::uint64_t tip() const { return tip_.load(std::memory_order_acquire); }
  void set_tip(std::uint64_t tip) { tip_.store(tip, std::memory_order_release); }

 private:
  const std::string path_;
  std::unique_ptr<rocksdb::DB> database_;
  const std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  const std::string owned_folder_;
  std::atomic<std::uint64_t> tip_{0};
};

}  // namespace holdfast
