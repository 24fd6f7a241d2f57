#include "tests/events/raw_database.h"

#include <gtest/gtest.h>

#include "events/rocksdb_options.h"

namespace holdfast::testing {
namespace {

void ExpectOk(const rocksdb::Status& status) { EXPECT_TRUE(status.ok()) << status.ToString(); }

}  // namespace

RawDatabase::RawDatabase(const std::string& path) {
  rocksdb::DB* database = nullptr;
  ExpectOk(rocksdb::DB::Open(LogDbOptions({}), path, LogColumnFamilies({}), &handles_, &database));
  database_.reset(database);
}

RawDatabase::~RawDatabase() {
  for (rocksdb::ColumnFamilyHandle* handle : handles_) ExpectOk(database_->DestroyColumnFamilyHandle(handle));
  ExpectOk(database_->Close());
}

void RawDatabase::Put(const std::string& family, const std::string& key, const std::string& value) {
  ExpectOk(database_->Put(rocksdb::WriteOptions(), Family(family), key, value));
}

void RawDatabase::Delete(const std::string& family, const std::string& key) {
  ExpectOk(database_->Delete(rocksdb::WriteOptions(), Family(family), key));
}

void RawDatabase::CreateFamily(const std::string& name) {
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  ExpectOk(database_->CreateColumnFamily(rocksdb::ColumnFamilyOptions(), name, &handle));
  handles_.push_back(handle);
}

void RawDatabase::Flush() { ExpectOk(database_->Flush(rocksdb::FlushOptions(), handles_)); }

void RawDatabase::Compact() {
  Flush();
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    ExpectOk(database_->CompactRange(options, handle, nullptr, nullptr));
  }
}

void RawDatabase::CompactIntoSmallTables() {
  ExpectOk(database_->SetOptions(Family("blocks"), {{"target_file_size_base", "4096"}}));
  Compact();
}

rocksdb::ColumnFamilyHandle* RawDatabase::Family(const std::string& name) const {
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    if (handle->GetName() == name) return handle;
  }
  ADD_FAILURE() << "no column family " << name;
  return database_->DefaultColumnFamily();
}

std::string KeyOf(Sequence first) { return BlockKey(first.value()); }

}  // namespace holdfast::testing
