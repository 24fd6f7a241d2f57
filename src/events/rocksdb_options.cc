#include "events/rocksdb_options.h"

#include <rocksdb/cache.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <memory>

namespace holdfast {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::shared_ptr<rocksdb::TableFactory> TableFactory(const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.checksum = rocksdb::kXXH3;  // this build of RocksDB computes CRC-32C in software
  table.format_version = 5;
  table.block_size = 32 << 10;
  return std::shared_ptr<rocksdb::TableFactory>(rocksdb::NewBlockBasedTableFactory(table));
}

rocksdb::ColumnFamilyOptions Family(const std::shared_ptr<rocksdb::Cache>& cache, std::size_t memtable_bytes) {
  rocksdb::ColumnFamilyOptions options;
  options.compression = rocksdb::kLZ4Compression;
  options.bottommost_compression = rocksdb::kZSTD;
  options.write_buffer_size = memtable_bytes;
  options.max_write_buffer_number = 3;
  options.level_compaction_dynamic_level_bytes = true;
  options.target_file_size_base = 64 * kMiB;
  options.paranoid_file_checks = true;
  options.force_consistency_checks = true;
  options.table_factory = TableFactory(cache);
  return options;
}

}  // namespace

rocksdb::DBOptions LogDbOptions(const RocksDbLogOptions& log_options) {
  rocksdb::DBOptions options;
  if (log_options.environment != nullptr) options.env = log_options.environment;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.paranoid_checks = true;
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.recycle_log_file_num = 0;
  options.max_total_wal_size = 2 * log_options.memtable_bytes;
  options.bytes_per_sync = kMiB;
  options.wal_bytes_per_sync = kMiB;
  options.allow_fallocate = false;
  options.max_open_files = static_cast<int>(log_options.open_tables);
  options.max_background_jobs = 2;
  options.max_bgerror_resume_count = 0;  // an error is final: the process ends, a restart is right
  options.allow_concurrent_memtable_write = false;
  options.enable_write_thread_adaptive_yield = false;
  options.skip_stats_update_on_db_open = true;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.max_manifest_file_size = 16 * kMiB;
  options.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  options.max_log_file_size = 4 * kMiB;
  options.keep_log_file_num = 4;
  return options;
}

std::vector<rocksdb::ColumnFamilyDescriptor> LogColumnFamilies(const RocksDbLogOptions& options) {
  const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(32 * kMiB);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const char* name : kColumnFamilyNames) {
    const bool large = name == kColumnFamilyNames[static_cast<std::size_t>(ColumnFamily::kBlocks)] ||
                       name == kColumnFamilyNames[static_cast<std::size_t>(ColumnFamily::kBulk)];
    families.emplace_back(name, Family(cache, large ? options.memtable_bytes
                                                    : std::min<std::uint64_t>(options.memtable_bytes, 8 * kMiB)));
  }
  return families;
}

rocksdb::ReadOptions ScanOptions() {
  rocksdb::ReadOptions options;
  options.verify_checksums = true;
  options.fill_cache = false;
  options.readahead_size = 2 * kMiB;
  return options;
}

rocksdb::ReadOptions PointOptions() {
  rocksdb::ReadOptions options;
  options.verify_checksums = true;
  options.fill_cache = false;
  return options;
}

std::string BlockKey(std::uint64_t first) {
  std::string key(8, '\0');
  for (int i = 7; i >= 0; --i, first >>= 8) key[static_cast<std::size_t>(i)] = static_cast<char>(first & 255);
  return key;
}

std::uint64_t SequenceOfKey(const rocksdb::Slice& key) {
  if (key.size() != 8) return 0;
  std::uint64_t sequence = 0;
  for (std::size_t i = 0; i < 8; ++i) sequence = sequence << 8 | static_cast<std::uint8_t>(key[i]);
  return sequence;
}

}  // namespace holdfast
