#include "events/rocksdb_log.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <utility>

#include "base/little_endian.h"
#include "events/block_view.h"
#include "events/log_error.h"
#include "events/rocksdb_open.h"
#include "events/rocksdb_options.h"
#include "events/rocksdb_reader.h"
#include "events/rocksdb_status.h"
#include "events/rocksdb_store.h"

namespace holdfast {
namespace {

constexpr char kFormatKey[] = "format";
constexpr char kLogIdKey[] = "log_id";
// A batch that one rare huge block made grow is not kept.
constexpr std::size_t kMaxKeptBatchBytes = std::size_t{16} << 20;

rocksdb::Slice ToSlice(std::string_view text) { return {text.data(), text.size()}; }

std::string EncodeFormat() {
  std::string text;
  AppendLittleEndian(kBlockFormat, &text);
  return text;
}

}  // namespace

struct RocksDbLog::Batch {
  rocksdb::WriteBatch batch;
};

absl::StatusOr<std::unique_ptr<RocksDbLog>> RocksDbLog::Open(const std::string& path,
                                                             const RocksDbLogOptions& options) {
  absl::StatusOr<OpenedStore> opened = OpenForWriting(path, options);
  if (!opened.ok()) return opened.status();
  std::unique_ptr<RocksDbLog> log(new RocksDbLog(std::move(opened->store), options, false));
  log->torn_end_ = std::move(opened->torn_end);
  if (absl::Status status = log->FindEnd(); !status.ok()) return status;
  return log;
}

absl::StatusOr<std::unique_ptr<RocksDbLog>> RocksDbLog::OpenReadOnly(const std::string& path) {
  absl::StatusOr<OpenedStore> opened = OpenBesideWriter(path);
  if (!opened.ok()) return opened.status();
  std::unique_ptr<RocksDbLog> log(new RocksDbLog(std::move(opened->store), {}, true));
  log->torn_end_ = std::move(opened->torn_end);
  if (absl::Status status = log->FindEnd(); !status.ok()) return status;
  return log;
}

RocksDbLog::RocksDbLog(std::shared_ptr<RocksDbStore> store, const RocksDbLogOptions& options, bool read_only)
    : store_(std::move(store)), sync_(options.sync), read_only_(read_only), batch_(std::make_unique<Batch>()) {}

RocksDbLog::~RocksDbLog() = default;

absl::Status RocksDbLog::FindEnd() {
  absl::Status status = FindEndOnce();
  // Beside a writer what is missing may only have moved (RocksDbStore::CatchUp).
  if (absl::IsDataLoss(status) && store_->follows_writer() && store_->CatchUp().ok()) status = FindEndOnce();
  return status;
}

absl::Status RocksDbLog::FindEndOnce() {
  absl::StatusOr<std::optional<BlockHeader>> last = ReadLastBlock();
  if (!last.ok()) return last.status();
  if (!last->has_value()) return absl::OkStatus();
  if (!log_id_.has_value()) {
    if (absl::Status status = CheckMeta(); !status.ok()) return status;
  }
  if (*log_id_ != (*last)->log_id) {
    return WithDamageAdvice(absl::DataLossError(absl::StrCat("Log in ", store_->path(), ": the block at sequence ",
                                                             (*last)->first.value(), " belongs to another log")));
  }
  store_->set_tip((*last)->first.value() + (*last)->count - 1);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<BlockHeader>> RocksDbLog::ReadLastBlock() const {
  std::string block, bulk;
  std::uint64_t first = 0;
  const rocksdb::Status status = Guarded([&] {
    const std::unique_ptr<rocksdb::Iterator> iterator(
        store_->database().NewIterator(PointOptions(), store_->family(ColumnFamily::kBlocks)));
    iterator->SeekToLast();
    if (!iterator->Valid()) return iterator->status();
    first = SequenceOfKey(iterator->key());
    block.assign(iterator->value().data(), iterator->value().size());
    const rocksdb::Status got =
        store_->database().Get(PointOptions(), store_->family(ColumnFamily::kBulk), iterator->key(), &bulk);
    return got.IsNotFound() ? rocksdb::Status::OK() : got;
  });
  if (!status.ok())
    return FromRocksDb(absl::StrCat("The last block of the log in ", store_->path(), " is unreadable"), status);
  if (block.empty()) return std::nullopt;
  BlockView view;
  absl::Status parsed = view.Parse(block, bulk);
  if (parsed.ok() && view.header().first.value() != first) parsed = absl::DataLossError("it stands under another key");
  if (!parsed.ok()) {
    return WithDamageAdvice(absl::Status(parsed.code(), absl::StrCat("Log in ", store_->path(), ", block at sequence ",
                                                                     first, ", the last one: ", parsed.message())));
  }
  return view.header();
}

absl::Status RocksDbLog::CheckMeta() {
  std::string format, log_id;
  const auto read = [&](const char* key, std::string* value) {
    return Guarded(
        [&] { return store_->database().Get(PointOptions(), store_->family(ColumnFamily::kMeta), key, value); });
  };
  for (const auto& [key, value] : {std::pair(kFormatKey, &format), std::pair(kLogIdKey, &log_id)}) {
    const rocksdb::Status status = read(key, value);
    if (!status.ok())
      return FromRocksDb(absl::StrCat("The log in ", store_->path(), " has no '", key, "' in meta"),
                         status.IsNotFound() ? rocksdb::Status::Corruption("missing") : status);
  }
  if (format.size() != sizeof(std::uint32_t) || log_id.size() != LogId().size()) {
    return WithDamageAdvice(absl::DataLossError(absl::StrCat("Log in ", store_->path(), ": meta is malformed")));
  }
  if (const auto number = LoadLittleEndian<std::uint32_t>(format.data()); number != kBlockFormat) {
    return absl::UnimplementedError(absl::StrCat("The log in ", store_->path(), " has format ", number,
                                                 ", this program reads ", kBlockFormat,
                                                 ": use the program that wrote it. Nothing was changed."));
  }
  log_id_.emplace();
  std::copy(log_id.begin(), log_id.end(), log_id_->begin());
  return absl::OkStatus();
}

absl::Status RocksDbLog::Append(const AppendRequest& request) {
  if (read_only_) {
    return absl::FailedPreconditionError(
        absl::StrCat("The log in ", store_->path(), " is open for reading only: open it for writing to append"));
  }
  if (!failed_.ok()) return failed_;
  const absl::StatusOr<BlockHeader> header = CheckAppend(request, Tip(), log_id_);
  if (!header.ok()) return header.status();
  if (absl::Status status = Write(request, *header); !status.ok()) {
    failed_ = status;
    return status;
  }
  log_id_ = header->log_id;
  store_->set_tip(request.last.value());
  return absl::OkStatus();
}

absl::Status RocksDbLog::Write(const AppendRequest& request, const BlockHeader& header) {
  const rocksdb::Status status = Guarded([&] {
    rocksdb::WriteBatch& batch = batch_->batch;
    batch.Clear();
    const std::string key = BlockKey(request.first.value());
    rocksdb::Status put = batch.Put(store_->family(ColumnFamily::kBlocks), key, ToSlice(request.block));
    if (put.ok() && !request.bulk.empty()) {
      put = batch.Put(store_->family(ColumnFamily::kBulk), key, ToSlice(request.bulk));
    }
    if (request.ownership_periods != nullptr) {
      for (const SideRow& row : *request.ownership_periods) {
        if (put.ok()) put = batch.Put(store_->family(ColumnFamily::kOwnershipPeriods), row.key, row.value);
      }
    }
    if (put.ok() && !log_id_.has_value()) {
      const std::string_view id(reinterpret_cast<const char*>(header.log_id.data()), header.log_id.size());
      put = batch.Put(store_->family(ColumnFamily::kMeta), kFormatKey, EncodeFormat());
      if (put.ok()) put = batch.Put(store_->family(ColumnFamily::kMeta), kLogIdKey, ToSlice(id));
    }
    if (!put.ok()) return put;
    rocksdb::WriteOptions options;
    options.sync = sync_;
    rocksdb::Status written = store_->database().Write(options, &batch);
    if (batch.Data().capacity() > kMaxKeptBatchBytes) batch = rocksdb::WriteBatch();
    return written;
  });
  return FromRocksDb(absl::StrCat("The log in ", store_->path(), " could not take the block of sequences ",
                                  request.first.value(), " to ", request.last.value(),
                                  "; nothing of it was acknowledged, the process ends and a restart is right"),
                     status);
}

Sequence RocksDbLog::Tip() const { return Sequence(store_->tip()); }

absl::StatusOr<std::unique_ptr<BlockReader>> RocksDbLog::NewReader(Sequence from) const {
  return std::make_unique<RocksDbReader>(store_, from);
}

absl::StatusOr<std::vector<SideRow>> RocksDbLog::OwnershipPeriods(std::string_view prefix, std::string_view after,
                                                                  std::size_t limit) const {
  std::vector<SideRow> rows;
  const rocksdb::Status status = Guarded([&] {
    // The rows of every block up to the tip are in view after one more call.
    if (store_->follows_writer()) {
      if (rocksdb::Status caught_up = store_->CatchUp(); !caught_up.ok()) return caught_up;
    }
    const std::unique_ptr<rocksdb::Iterator> iterator(
        store_->database().NewIterator(PointOptions(), store_->family(ColumnFamily::kOwnershipPeriods)));
    iterator->Seek(ToSlice(std::max(prefix, after)));
    if (iterator->Valid() && !after.empty() && iterator->key() == ToSlice(after)) iterator->Next();
    for (; iterator->Valid() && rows.size() < limit && iterator->key().starts_with(ToSlice(prefix)); iterator->Next()) {
      rows.push_back({.key = iterator->key().ToString(), .value = iterator->value().ToString()});
    }
    return iterator->status();
  });
  if (!status.ok()) {
    return FromRocksDb(absl::StrCat("The ownership periods of the log in ", store_->path(), " are unreadable"), status);
  }
  return rows;
}

std::uint64_t RocksDbLog::SizeBytes() const {
  std::uint64_t total = 0;
  for (std::size_t family = 0; family < kColumnFamilyNames.size(); ++family) {
    for (const std::string& property :
         {rocksdb::DB::Properties::kLiveSstFilesSize, rocksdb::DB::Properties::kCurSizeAllMemTables}) {
      std::uint64_t bytes = 0;
      const bool known =
          store_->database().GetIntProperty(store_->family(static_cast<ColumnFamily>(family)), property, &bytes);
      if (known) total += bytes;
    }
  }
  return total;
}

absl::Status RocksDbLog::Refresh() {
  if (!read_only_) return absl::OkStatus();
  const rocksdb::Status status = store_->CatchUp();
  if (!status.ok()) {
    return FromRocksDb(absl::StrCat("The log in ", store_->path(), " could not be followed further"), status);
  }
  return FindEnd();
}

}  // namespace holdfast
