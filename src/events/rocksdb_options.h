// The column families of a log and the options they are opened with. docs/log_format.md gives the reason of each.
//
// Called by the rocksdb_* files alone, when a log is opened. Thread: pure functions.

#pragma once

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "events/rocksdb_log.h"

namespace holdfast {

// In the order in which they are opened; `default` is RocksDB's own and stays empty.
enum class ColumnFamily : std::size_t { kDefault, kBlocks, kBulk, kCheckpoints, kOwnershipPeriods, kMeta };
inline constexpr std::array<const char*, 6> kColumnFamilyNames = {"default",           "blocks", "bulk", "checkpoints",
                                                                  "ownership_periods", "meta"};

rocksdb::DBOptions LogDbOptions(const RocksDbLogOptions& options);
std::vector<rocksdb::ColumnFamilyDescriptor> LogColumnFamilies(const RocksDbLogOptions& options);

// Reads through in order, past the cache.
rocksdb::ReadOptions ScanOptions();
// One block, e.g. the newest.
rocksdb::ReadOptions PointOptions();

// The key of a block: its first sequence, big-endian, so that keys stand in the order of sequences.
std::string BlockKey(std::uint64_t first);
// 0 when it is no block's key.
std::uint64_t SequenceOfKey(const rocksdb::Slice& key);

}  // namespace holdfast
