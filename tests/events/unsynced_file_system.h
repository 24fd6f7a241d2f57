// A disk that forgets at a crash what was not synced: bytes of files, and names of files that were made, renamed or
// deleted since their directory was last synced. It lies under RocksDB as its FileSystem.
//
//   running ──(the n-th change fails, and every later one)──► crashed ──Crash()──► the real files are what would be
//   left
//
// Everything is written through to real files, so that readers see what a page cache would show; syncing is only noted.
// Thread: any, as RocksDB's. Promises: what was synced is never touched. Does not: lose parts of a sector, or lie about
// a sync.

#pragma once

#include <rocksdb/file_system.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/events/seeded_random.h"

namespace holdfast::testing {

class UnsyncedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  // `scratch`: a directory of its own, for what was deleted and may come back.
  explicit UnsyncedFileSystem(std::string scratch);

  const char* Name() const override { return "UnsyncedFileSystem"; }

  // The power fails at the n-th change from the beginning (1: the first).
  void FailAt(std::uint64_t change);
  std::uint64_t changes() const;
  bool crashed() const;

  // Leaves of the real files what a disk might: the synced part, and by chance some of what was not synced, some of its
  // sectors empty. Requires: nobody uses the file system any more.
  void Crash(SeededRandom& random);

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;

 private:
  class File;
  class Directory;
  // A change of names that its directory was not synced after.
  struct NameChange {
    std::string made;     // this name is new; empty: none
    std::string moved;    // it was this one before; empty: it was created
    std::string gone;     // this name is away
    std::string keeping;  // and what stood there is kept here
  };

  // An error when the power is off, or goes off now.
  rocksdb::IOStatus Change();
  void Synced(const std::string& path, std::uint64_t size);
  void DirectorySynced();
  std::string Keep(const std::string& path);
  void Undo(const NameChange& change);
  void DropUnsyncedBytes(const std::string& path, std::uint64_t synced, SeededRandom& random);

  const std::string scratch_;
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> synced_sizes_;  // of the files that were written here
  std::vector<NameChange> name_changes_;
  std::uint64_t changes_ = 0;
  std::uint64_t fail_at_ = UINT64_MAX;
  std::uint64_t kept_ = 0;
};

}  // namespace holdfast::testing
