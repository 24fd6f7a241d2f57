#include "tests/events/unsynced_file_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tests/events/directory_listing.h"

namespace holdfast::testing {
namespace {

constexpr std::uint64_t kSectorBytes = 512;
// Parts of a sector below this are taken as written: docs/log_format.md says what that leaves open.
constexpr std::uint64_t kLeastPunchedBytes = 4;

rocksdb::IOStatus PowerOff() { return rocksdb::IOStatus::IOError("the power is off"); }

}  // namespace

class UnsyncedFileSystem::File final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  File(UnsyncedFileSystem* disk, std::string path, std::unique_ptr<rocksdb::FSWritableFile> file)
      : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk), path_(std::move(path)) {}

  using FSWritableFileOwnerWrapper::Append;
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    const rocksdb::IOStatus power = disk_->Change();
    // The write during which the power fails may have come through in part: Crash draws how much.
    const rocksdb::IOStatus written = FSWritableFileOwnerWrapper::Append(data, options, debug);
    return power.ok() ? written : power;
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo&, rocksdb::IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if (const rocksdb::IOStatus power = disk_->Change(); !power.ok()) return power;
    disk_->Synced(path_, GetFileSize(options, debug));
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    return Sync(options, debug);
  }
  // Asks the disk to begin; promises nothing.
  rocksdb::IOStatus RangeSync(std::uint64_t, std::uint64_t, const rocksdb::IOOptions&,
                              rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::OK();
  }

 private:
  UnsyncedFileSystem* const disk_;
  const std::string path_;
};

class UnsyncedFileSystem::Directory final : public rocksdb::FSDirectoryWrapper {
 public:
  Directory(UnsyncedFileSystem* disk, std::unique_ptr<rocksdb::FSDirectory> directory)
      : FSDirectoryWrapper(std::move(directory)), disk_(disk) {}

  rocksdb::IOStatus Fsync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    if (const rocksdb::IOStatus power = disk_->Change(); !power.ok()) return power;
    disk_->DirectorySynced();
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug,
                                        const rocksdb::DirFsyncOptions&) override {
    return Fsync(options, debug);
  }

 private:
  UnsyncedFileSystem* const disk_;
};

UnsyncedFileSystem::UnsyncedFileSystem(std::string scratch)
    : FileSystemWrapper(rocksdb::FileSystem::Default()), scratch_(std::move(scratch)) {
  std::filesystem::create_directories(scratch_);
}

void UnsyncedFileSystem::FailAt(std::uint64_t change) {
  const std::lock_guard lock(mutex_);
  fail_at_ = change;
}

std::uint64_t UnsyncedFileSystem::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

bool UnsyncedFileSystem::crashed() const {
  const std::lock_guard lock(mutex_);
  return changes_ >= fail_at_;
}

rocksdb::IOStatus UnsyncedFileSystem::Change() {
  const std::lock_guard lock(mutex_);
  if (++changes_ >= fail_at_) return PowerOff();
  return rocksdb::IOStatus::OK();
}

void UnsyncedFileSystem::Synced(const std::string& path, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  synced_sizes_[path] = size;
}

void UnsyncedFileSystem::DirectorySynced() {
  const std::lock_guard lock(mutex_);
  name_changes_.clear();
}

std::string UnsyncedFileSystem::Keep(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return "";
  const std::string kept = scratch_ + "/" + std::to_string(++kept_);
  std::filesystem::copy_file(path, kept, std::filesystem::copy_options::overwrite_existing);
  return kept;
}

rocksdb::IOStatus UnsyncedFileSystem::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                                      std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                      rocksdb::IODebugContext* debug) {
  if (const rocksdb::IOStatus power = Change(); !power.ok()) return power;
  const std::lock_guard lock(mutex_);
  std::error_code none;
  if (!std::filesystem::exists(path, none))
    name_changes_.push_back({.made = path, .moved = {}, .gone = {}, .keeping = {}});
  std::unique_ptr<rocksdb::FSWritableFile> real;
  const rocksdb::IOStatus status = target()->NewWritableFile(path, options, &real, debug);
  if (!status.ok()) return status;
  synced_sizes_[path] = 0;
  *file = std::make_unique<File>(this, path, std::move(real));
  return status;
}

rocksdb::IOStatus UnsyncedFileSystem::ReopenWritableFile(const std::string&, const rocksdb::FileOptions&,
                                                         std::unique_ptr<rocksdb::FSWritableFile>*,
                                                         rocksdb::IODebugContext*) {
  return rocksdb::IOStatus::NotSupported("a log never writes on in a file that was closed");
}

rocksdb::IOStatus UnsyncedFileSystem::NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                                   std::unique_ptr<rocksdb::FSDirectory>* directory,
                                                   rocksdb::IODebugContext* debug) {
  std::unique_ptr<rocksdb::FSDirectory> real;
  const rocksdb::IOStatus status = target()->NewDirectory(path, options, &real, debug);
  if (status.ok()) *directory = std::make_unique<Directory>(this, std::move(real));
  return status;
}

rocksdb::IOStatus UnsyncedFileSystem::DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                                                 rocksdb::IODebugContext* debug) {
  if (const rocksdb::IOStatus power = Change(); !power.ok()) return power;
  const std::lock_guard lock(mutex_);
  name_changes_.push_back({.made = {}, .moved = {}, .gone = path, .keeping = Keep(path)});
  return target()->DeleteFile(path, options, debug);
}

rocksdb::IOStatus UnsyncedFileSystem::RenameFile(const std::string& from, const std::string& to,
                                                 const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) {
  if (const rocksdb::IOStatus power = Change(); !power.ok()) return power;
  const std::lock_guard lock(mutex_);
  name_changes_.push_back({.made = to, .moved = from, .gone = to, .keeping = Keep(to)});
  const rocksdb::IOStatus status = target()->RenameFile(from, to, options, debug);
  const auto known = synced_sizes_.find(from);
  if (status.ok() && known != synced_sizes_.end()) {
    synced_sizes_[to] = known->second;
    synced_sizes_.erase(known);
  }
  return status;
}

void UnsyncedFileSystem::Crash(SeededRandom& random) {
  const std::lock_guard lock(mutex_);
  // A file system brings its names to the disk in order: some of the last changes are lost, most often all of them.
  const std::size_t lost = random.Below(3) != 0 ? name_changes_.size() : random.Below(name_changes_.size() + 1);
  for (std::size_t i = 0; i < lost; ++i) {
    Undo(name_changes_.back());
    name_changes_.pop_back();
  }
  const bool all_lost = random.Below(3) == 0;
  for (const auto& [path, synced] : synced_sizes_) {
    std::error_code none;
    if (!std::filesystem::exists(path, none)) continue;
    if (all_lost) {
      std::filesystem::resize_file(path, std::min<std::uint64_t>(synced, std::filesystem::file_size(path)));
    } else {
      DropUnsyncedBytes(path, synced, random);
    }
  }
}

void UnsyncedFileSystem::Undo(const NameChange& change) {
  std::error_code ignored;
  if (!change.moved.empty()) {
    std::filesystem::rename(change.made, change.moved, ignored);
    if (const auto known = synced_sizes_.find(change.made); known != synced_sizes_.end()) {
      synced_sizes_[change.moved] = known->second;
      synced_sizes_.erase(known);
    }
  } else if (!change.made.empty()) {
    std::filesystem::remove(change.made, ignored);
  }
  if (!change.keeping.empty()) std::filesystem::rename(change.keeping, change.gone, ignored);
}

void UnsyncedFileSystem::DropUnsyncedBytes(const std::string& path, std::uint64_t synced, SeededRandom& random) {
  std::string content = ReadFile(path);
  if (content.size() <= synced || random.Below(4) == 0) return;  // all of it came through, or there was nothing
  content.resize(synced + random.Below(content.size() - synced + 1));
  // Only RocksDB's own log is written in several sectors before a sync and judged by us; its other files are its
  // affair.
  if (std::filesystem::path(path).extension() == ".log" && random.Below(2) == 0) {
    for (std::uint64_t sector = synced / kSectorBytes * kSectorBytes; sector < content.size(); sector += kSectorBytes) {
      const std::uint64_t from = std::max(sector, synced);
      const std::uint64_t to = std::min<std::uint64_t>(sector + kSectorBytes, content.size());
      if (to - from < kLeastPunchedBytes || random.Below(3) != 0) continue;
      std::fill(content.begin() + static_cast<std::ptrdiff_t>(from), content.begin() + static_cast<std::ptrdiff_t>(to),
                '\0');
    }
  }
  WriteFile(path, content);
}

}  // namespace holdfast::testing
