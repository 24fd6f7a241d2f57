#include "events/rocksdb_store.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "events/rocksdb_status.h"

namespace holdfast {

RocksDbStore::RocksDbStore(std::string path, std::unique_ptr<rocksdb::DB> database,
                           std::vector<rocksdb::ColumnFamilyHandle*> handles, std::string owned_folder)
    : path_(std::move(path)),
      database_(std::move(database)),
      handles_(std::move(handles)),
      owned_folder_(std::move(owned_folder)) {}

RocksDbStore::~RocksDbStore() {
  // Whatever the closing says: what was acknowledged is synced already, and nothing else is promised.
  Guarded([&] {
    for (rocksdb::ColumnFamilyHandle* handle : handles_)
      database_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
    database_->Close().PermitUncheckedError();
    database_.reset();
    return rocksdb::Status::OK();
  }).PermitUncheckedError();
  std::error_code ignored;
  if (!owned_folder_.empty()) std::filesystem::remove_all(owned_folder_, ignored);
}

rocksdb::Status RocksDbStore::CatchUp() const {
  return Guarded([&] { return database_->TryCatchUpWithPrimary(); });
}

}  // namespace holdfast
