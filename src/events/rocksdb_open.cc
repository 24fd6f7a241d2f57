#include "events/rocksdb_open.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <rocksdb/env.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "events/log_directory.h"
#include "events/log_error.h"
#include "events/rocksdb_options.h"
#include "events/rocksdb_status.h"
#include "events/rocksdb_wal_check.h"

namespace holdfast {
namespace {

// A live writer deletes tables and logs while they are being opened; the next try sees the newer state.
constexpr int kOpenTries = 50;
constexpr std::uint64_t kDescriptorsBesideTables = 64;

// Says nothing: a reader must not leave a line in a directory that is not its own.
class SilentLogger final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

struct Inventory {
  bool has_current = false;
  std::uint64_t tables = 0;
  std::uint64_t logs_with_content = 0;
};

absl::StatusOr<Inventory> TakeInventory(const std::string& path) {
  Inventory inventory;
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  while (!error && entry != std::filesystem::directory_iterator()) {
    const std::filesystem::path& file = entry->path();
    std::error_code vanished;
    if (file.filename() == "CURRENT") inventory.has_current = true;
    if (file.extension() == ".sst") ++inventory.tables;
    if (file.extension() == ".log" && std::filesystem::file_size(file, vanished) > 0 && !vanished) {
      ++inventory.logs_with_content;
    }
    entry.increment(error);
  }
  if (!error) return inventory;
  if (error == std::errc::no_such_file_or_directory) {
    return absl::NotFoundError(
        absl::StrCat("There is no directory ", path, ": name the one that the daemon writes to."));
  }
  return absl::InternalError(
      absl::StrCat("The directory ", path, " of the log could not be listed: ", error.message()));
}

absl::Status Refuse(const std::string& path, const WalEnd& end) {
  return WithDamageAdvice(absl::DataLossError(absl::StrCat(
      "The log in ", path, " is not opened: bytes of an acknowledged block were changed (", end.text, ")")));
}

std::string TellTorn(const WalEnd& end) {
  return absl::StrCat("The last write before the crash was torn and is dropped as a whole, ", end.lost_bytes,
                      " bytes that nobody was told of (", end.text, ").");
}

// What must hold before RocksDB may write its first byte.
absl::StatusOr<WalEnd> CheckBeforeOpening(const std::string& path, rocksdb::DBOptions* options) {
  const absl::StatusOr<Inventory> inventory = TakeInventory(path);
  if (!inventory.ok()) return inventory.status();
  if (!inventory->has_current && inventory->tables + inventory->logs_with_content > 0) {
    return WithDamageAdvice(absl::DataLossError(
        absl::StrCat("The log in ", path, " has lost its file CURRENT, but ", inventory->tables, " tables are there")));
  }
  absl::StatusOr<WalEnd> end = CheckWalEnd(path);
  if (!end.ok()) return end;
  if (end->kind == WalEnd::Kind::kChanged) return Refuse(path, *end);
  // Nothing whole follows the punched write, so "up to the first damage" drops it alone.
  if (end->kind == WalEnd::Kind::kPunched) options->wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  return end;
}

absl::Status CheckFamilies(const std::string& path, const rocksdb::DBOptions& options) {
  std::error_code error;
  if (!std::filesystem::exists(absl::StrCat(path, "/CURRENT"), error)) return absl::OkStatus();
  std::vector<std::string> names;
  const rocksdb::Status listed = Guarded([&] { return rocksdb::DB::ListColumnFamilies(options, path, &names); });
  if (!listed.ok()) return FromRocksDb(absl::StrCat("The log in ", path, " could not be listed"), listed);
  for (const std::string& name : names) {
    if (std::find(kColumnFamilyNames.begin(), kColumnFamilyNames.end(), name) == kColumnFamilyNames.end()) {
      return absl::UnimplementedError(absl::StrCat("The log in ", path, " has a column family '", name,
                                                   "' that this program does not know: it was written by a newer one. "
                                                   "Use that; nothing was changed."));
    }
  }
  return absl::OkStatus();
}

absl::Status OpenError(const std::string& path, const rocksdb::Status& status) {
  const std::string text = status.ToString();
  if (status.IsIOError() && absl::StrContains(text, "lock")) {
    // Its own process's lock is not looked up: closing the file would give it up.
    if (absl::StrContains(text, "current process")) return HeldError(path, "this process, which opened it before");
    const std::optional<std::int64_t> holder = LogHolder(path);
    return HeldError(path, holder.has_value() ? absl::StrCat("process ", *holder) : "another process");
  }
  return FromRocksDb(absl::StrCat("The log in ", path, " could not be opened"), status);
}

// A reader keeps every table open, since the writer may delete one: is that allowed?
absl::Status AllowTables(const std::string& path, std::uint64_t tables) {
  rlimit limit{};
  const std::uint64_t needed = tables + tables / 4 + kDescriptorsBesideTables;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return absl::OkStatus();
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= needed) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("The log in ", path, " has ", tables, " tables; reading it takes ",
                                                   needed, " open files, and the process may have ", limit.rlim_cur,
                                                   ". Raise the limit (ulimit -n)."));
}

absl::StatusOr<std::string> MakeScratchFolder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string name = error ? "/tmp/holdfast-reader-XXXXXX" : (parent / "holdfast-reader-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    return absl::InternalError(absl::StrCat("A temporary folder like ", name,
                                            " could not be made: set TMPDIR to a "
                                            "directory that may be written."));
  }
  return name;
}

bool WasOvertaken(const rocksdb::Status& status) {
  return status.IsPathNotFound() || absl::StrContains(status.ToString(), "No such file") || status.IsTryAgain();
}

}  // namespace

absl::StatusOr<OpenedStore> OpenForWriting(const std::string& path, const RocksDbLogOptions& log_options) {
  if (absl::Status status = PrepareLogDirectory(path); !status.ok()) return status;
  rocksdb::DBOptions options = LogDbOptions(log_options);
  const absl::StatusOr<WalEnd> end = CheckBeforeOpening(path, &options);
  if (!end.ok()) return end.status();
  if (absl::Status status = CheckFamilies(path, options); !status.ok()) return status;
  rocksdb::DB* database = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const rocksdb::Status status =
      Guarded([&] { return rocksdb::DB::Open(options, path, LogColumnFamilies(log_options), &handles, &database); });
  if (!status.ok()) return OpenError(path, status);
  OpenedStore opened;
  opened.store = std::make_shared<RocksDbStore>(path, std::unique_ptr<rocksdb::DB>(database), std::move(handles), "");
  if (end->kind != WalEnd::Kind::kSound) opened.torn_end = TellTorn(*end);
  return opened;
}

absl::StatusOr<OpenedStore> OpenBesideWriter(const std::string& path) {
  rocksdb::DBOptions options = LogDbOptions({});
  options.create_if_missing = false;
  options.create_missing_column_families = false;
  options.max_open_files = -1;
  options.info_log = std::make_shared<SilentLogger>();
  const absl::StatusOr<Inventory> inventory = TakeInventory(path);
  if (!inventory.ok()) return inventory.status();
  if (!inventory->has_current && inventory->tables + inventory->logs_with_content == 0) {
    return absl::NotFoundError(
        absl::StrCat("There is no log in ", path, ": name the directory that the daemon writes to."));
  }
  if (absl::Status status = AllowTables(path, inventory->tables); !status.ok()) return status;
  const absl::StatusOr<WalEnd> end = CheckBeforeOpening(path, &options);
  if (!end.ok()) return end.status();
  absl::StatusOr<std::string> scratch = MakeScratchFolder();
  if (!scratch.ok()) return scratch.status();
  rocksdb::DB* database = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::Status status;
  for (int tries = 0; tries < kOpenTries; ++tries) {
    status = Guarded([&] {
      return rocksdb::DB::OpenAsSecondary(options, path, *scratch, LogColumnFamilies({}), &handles, &database);
    });
    if (!WasOvertaken(status)) break;
  }
  OpenedStore opened;
  if (!status.ok()) {
    std::error_code ignored;
    std::filesystem::remove_all(*scratch, ignored);
    return FromRocksDb(absl::StrCat("The log in ", path, " could not be opened for reading"), status);
  }
  opened.store =
      std::make_shared<RocksDbStore>(path, std::unique_ptr<rocksdb::DB>(database), std::move(handles), *scratch);
  if (end->kind != WalEnd::Kind::kSound) opened.torn_end = TellTorn(*end);
  return opened;
}

}  // namespace holdfast
