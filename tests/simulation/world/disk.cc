#include "tests/simulation/world/disk.h"

#include <memory>
#include <optional>

#include "events/block_view.h"
#include "events/rocksdb_log.h"

namespace holdfast::simulation {
namespace {

AppendRequest RequestFor(Sequence follows, Sequence first, Sequence last, const std::string& block,
                         const std::string& bulk, const std::vector<SideRow>& periods) {
  AppendRequest request;
  request.follows = follows;
  request.first = first;
  request.last = last;
  request.block = block;
  request.bulk = bulk;
  request.ownership_periods = &periods;
  return request;
}

}  // namespace

void Disk::Begin(const SealedBlock& block) {
  if (world_.faults.Strikes(Fault::kWriteFailed)) {
    log_.FailAppend(1, world_.random.Chance(1, 2) ? MemoryLog::Failure::kNothingWritten
                                                  : MemoryLog::Failure::kWrittenButNotAcknowledged);
  }
  under_way_ = true;
  first_ = block.encoded.first.value();
  periods_[first_] = block.ownership_periods;
  written_ = log_.Append(RequestFor(block.follows, block.encoded.first, block.encoded.last, block.encoded.block,
                                    block.encoded.bulk, block.ownership_periods));
}

absl::Status Disk::Finish() {
  if (!written_.ok()) return written_;
  log_.Sync();
  under_way_ = false;
  return absl::OkStatus();
}

void Disk::Crash() {
  if (under_way_) {
    const bool kept = world_.random.Chance(1, 3) && log_.Tip().value() >= first_;
    world_.faults.Note(kept ? Fault::kBlockKept : Fault::kBlockTorn);
    if (kept) log_.Sync();
  }
  under_way_ = false;
  log_.Crash();
}

absl::Status Disk::WriteTo(const std::string& path) const {
  absl::StatusOr<std::unique_ptr<RocksDbLog>> out = RocksDbLog::Open(path);
  if (!out.ok()) return out.status();
  if ((*out)->Tip().value() != 0) return absl::AlreadyExistsError(path + " holds a log already; name another folder");
  absl::StatusOr<std::unique_ptr<BlockReader>> reader = log_.NewReader(Sequence());
  if (!reader.ok()) return reader.status();
  Sequence follows;
  while (true) {
    absl::StatusOr<std::optional<StoredBlock>> stored = (*reader)->Next();
    if (!stored.ok()) return stored.status();
    if (!stored->has_value()) return absl::OkStatus();
    const StoredBlock& block = **stored;
    const absl::StatusOr<BlockHeader> header = ParseBlockHeader(block.block);
    if (!header.ok()) return header.status();
    const Sequence last(block.first.value() + header->count - 1);
    const auto rows = periods_.find(block.first.value());
    const std::vector<SideRow> none;
    absl::Status written = (*out)->Append(
        RequestFor(follows, block.first, last, block.block, block.bulk, rows == periods_.end() ? none : rows->second));
    if (!written.ok()) return written;
    follows = last;
  }
}

}  // namespace holdfast::simulation
