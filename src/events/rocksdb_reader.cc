#include "events/rocksdb_reader.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "events/block_view.h"
#include "events/log_error.h"
#include "events/rocksdb_status.h"

namespace holdfast {
namespace {

// So many blocks are read one by one before an iterator is worth its making.
constexpr int kPointsBeforeScan = 3;

}  // namespace

RocksDbReader::RocksDbReader(std::shared_ptr<const RocksDbStore> store, Sequence from)
    : store_(std::move(store)), from_(from.value()) {}

absl::StatusOr<std::optional<StoredBlock>> RocksDbReader::Next() {
  while (true) {
    if (next_ == 0) {
      if (absl::Status status = Locate(); !status.ok()) return status;
    }
    if (next_ == 0 || next_ > store_->tip()) {
      blocks_.reset();  // what is open pins old files; the next block comes alone anyway
      bulk_.reset();
      points_ = 0;
      return std::nullopt;
    }
    StoredBlock block{.first = Sequence(next_), .block = {}, .bulk = {}};
    if (absl::Status status = ReadBlock(&block.block); !status.ok()) return status;
    const absl::StatusOr<BlockHeader> header = ParseBlockHeader(block.block);
    if (!header.ok()) return AtNext(header.status());
    if (header->first != block.first) {
      return AtNext(absl::DataLossError(absl::StrCat("its header says ", header->first.value())));
    }
    const std::uint64_t after = next_ + header->count;
    if (after > from_) {
      if (absl::Status status = ReadBulk(&block); !status.ok()) return status;
    }
    next_ = after;
    if (after > from_) return block;
  }
}

absl::Status RocksDbReader::Locate() {
  const absl::Status status =
      FromRocksDb(absl::StrCat("The log in ", store_->path(), " could not be searched"), Guarded([&] {
                    const std::unique_ptr<rocksdb::Iterator> iterator(
                        store_->database().NewIterator(PointOptions(), store_->family(ColumnFamily::kBlocks)));
                    iterator->SeekForPrev(BlockKey(from_));
                    if (!iterator->Valid() && iterator->status().ok()) iterator->SeekToFirst();
                    if (iterator->Valid()) {
                      next_ = SequenceOfKey(iterator->key());
                      if (next_ == 0)
                        return rocksdb::Status::Corruption("a key that is no block's", iterator->key().ToString(true));
                    }
                    return iterator->status();
                  }));
  return status;
}

absl::Status RocksDbReader::ReadBlock(std::string* block) {
  if (blocks_ == nullptr && points_ < kPointsBeforeScan) {
    ++points_;
    return ReadPoint(block);
  }
  return ReadScan(block);
}

absl::Status RocksDbReader::ReadPoint(std::string* block) {
  const rocksdb::Status status = Guarded([&] {
    return store_->database().Get(PointOptions(), store_->family(ColumnFamily::kBlocks), BlockKey(next_), block);
  });
  if (status.IsNotFound()) return ReadScan(block);  // says which one comes instead
  return AtNext(FromRocksDb("it could not be read", status));
}

absl::Status RocksDbReader::ReadScan(std::string* block) {
  std::uint64_t found = 0;
  const rocksdb::Status status = Guarded([&] {
    if (blocks_ != nullptr) blocks_->Next();
    if (blocks_ == nullptr || (!blocks_->Valid() && blocks_->status().ok())) {
      // None yet, or at the end of what it saw when it was made, while the log has grown.
      blocks_.reset(store_->database().NewIterator(ScanOptions(), store_->family(ColumnFamily::kBlocks)));
      blocks_->Seek(BlockKey(next_));
    }
    if (!blocks_->Valid()) return blocks_->status();
    found = SequenceOfKey(blocks_->key());
    if (found == next_) block->assign(blocks_->value().data(), blocks_->value().size());
    return rocksdb::Status::OK();
  });
  if (!status.ok()) return AtNext(FromRocksDb("it could not be read", status));
  if (found == next_) return absl::OkStatus();
  return LookAgain() ? ReadScan(block) : Missing(found);
}

bool RocksDbReader::LookAgain() {
  if (!store_->follows_writer() || next_ <= complete_to_) return false;
  complete_to_ = store_->tip();
  blocks_.reset();
  bulk_.reset();
  return store_->CatchUp().ok();
}

absl::Status RocksDbReader::ReadBulk(StoredBlock* block) {
  const absl::StatusOr<std::uint32_t> sealed = ParseBulkBytes(block->block);
  if (!sealed.ok()) return AtNext(sealed.status());
  if (*sealed == 0) return absl::OkStatus();
  absl::Status status = ReadBulkOnce(block);
  // Not there: retention took it (the block says how to check the rest), unless the writer was moving it.
  if (status.ok() && block->bulk.empty() && LookAgain()) status = ReadBulkOnce(block);
  return status;
}

absl::Status RocksDbReader::ReadBulkOnce(StoredBlock* block) {
  const std::string key = BlockKey(next_);
  const rocksdb::Status status = Guarded([&] {
    rocksdb::ColumnFamilyHandle* family = store_->family(ColumnFamily::kBulk);
    if (blocks_ == nullptr) {
      const rocksdb::Status got = store_->database().Get(PointOptions(), family, key, &block->bulk);
      return got.IsNotFound() ? rocksdb::Status::OK() : got;
    }
    if (bulk_ != nullptr && bulk_->Valid() && bulk_->key().compare(key) < 0) bulk_->Next();
    if (bulk_ == nullptr || !bulk_->Valid() || bulk_->key().compare(key) < 0) {
      bulk_.reset(store_->database().NewIterator(ScanOptions(), family));
      bulk_->Seek(key);
    }
    if (bulk_->Valid() && bulk_->key() == key) block->bulk.assign(bulk_->value().data(), bulk_->value().size());
    return bulk_->status();
  });
  return AtNext(FromRocksDb("its bulk value could not be read", status));
}

absl::Status RocksDbReader::AtNext(const absl::Status& status) const {
  if (status.ok()) return status;
  return WithDamageAdvice(absl::Status(
      status.code(), absl::StrCat("Log in ", store_->path(), ", block at sequence ", next_, ": ", status.message())));
}

absl::Status RocksDbReader::Missing(std::uint64_t found) const {
  return WithDamageAdvice(absl::DataLossError(absl::StrCat(
      "Log in ", store_->path(), ": the block at sequence ", next_, " is missing; ",
      found == 0 ? std::string("nothing follows, although the log ends with ") + std::to_string(store_->tip())
                 : absl::StrCat("the next one begins at ", found))));
}

}  // namespace holdfast
