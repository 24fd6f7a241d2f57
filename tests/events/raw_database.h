// The database under a log, opened past the log, to damage it as no program would.
//
// Thread: one. Requires: nobody else has it open.

#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>

#include "base/ids.h"

namespace holdfast::testing {

class RawDatabase {
 public:
  explicit RawDatabase(const std::string& path);
  ~RawDatabase();
  RawDatabase(const RawDatabase&) = delete;
  RawDatabase& operator=(const RawDatabase&) = delete;

  void Put(const std::string& family, const std::string& key, const std::string& value);
  void Delete(const std::string& family, const std::string& key);
  void CreateFamily(const std::string& name);
  // Writes every memtable as a table of its own.
  void Flush();
  // Everything into tables of the bottom level.
  void Compact();
  // The same, a table for every few kilobytes of blocks.
  void CompactIntoSmallTables();

 private:
  rocksdb::ColumnFamilyHandle* Family(const std::string& name) const;

  std::unique_ptr<rocksdb::DB> database_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

// The key of the block that begins at `first`.
std::string KeyOf(Sequence first);

}  // namespace holdfast::testing
