#include "events/memory_log.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "base/check.h"
#include "events/block_view.h"
#include "events/log_error.h"

namespace holdfast {

struct MemoryLog::Content {
  mutable std::mutex mutex;
  std::map<std::uint64_t, StoredBlock> blocks;                                        // by first sequence
  std::map<std::string, std::pair<std::string, std::uint64_t>, std::less<>> periods;  // value, sequence it came with
  std::optional<LogId> log_id;
  std::uint64_t tip = 0;
  std::uint64_t synced_tip = 0;
  std::uint64_t generation = 0;  // grows with each crash
};

class MemoryLog::Reader final : public BlockReader {
 public:
  Reader(std::shared_ptr<const Content> content, Sequence from)
      : content_(std::move(content)), from_(from.value()), generation_(content_->generation) {}

  absl::StatusOr<std::optional<StoredBlock>> Next() override {
    const std::lock_guard lock(content_->mutex);
    if (content_->generation != generation_) {
      return absl::UnavailableError("the log was closed by a crash: open a new reader");
    }
    if (next_ == 0) Locate();
    if (next_ == 0 || next_ > content_->tip) return std::nullopt;
    const auto found = content_->blocks.find(next_);
    if (found == content_->blocks.end()) {
      return WithDamageAdvice(absl::DataLossError(absl::StrCat("block at sequence ", next_, " is missing")));
    }
    const absl::StatusOr<BlockHeader> header = ParseBlockHeader(found->second.block);
    if (!header.ok()) {
      return WithDamageAdvice(absl::Status(header.status().code(),
                                           absl::StrCat("block at sequence ", next_, ": ", header.status().message())));
    }
    next_ += header->count;
    return found->second;
  }

 private:
  // The block that holds `from`, or the first kept.
  void Locate() {
    if (content_->blocks.empty()) return;
    auto block = content_->blocks.upper_bound(from_);
    if (block != content_->blocks.begin()) --block;
    const absl::StatusOr<BlockHeader> header = ParseBlockHeader(block->second.block);
    const bool ends_before = header.ok() && block->first + header->count <= from_;
    next_ = ends_before ? block->first + header->count : block->first;
  }

  const std::shared_ptr<const Content> content_;
  const std::uint64_t from_;
  const std::uint64_t generation_;
  std::uint64_t next_ = 0;  // first sequence of the next block; 0: not located yet
};

MemoryLog::MemoryLog() : content_(std::make_shared<Content>()) {}
MemoryLog::~MemoryLog() = default;

absl::Status MemoryLog::Append(const AppendRequest& request) {
  if (!failed_.ok()) return failed_;
  const std::lock_guard lock(content_->mutex);
  const absl::StatusOr<BlockHeader> header = CheckAppend(request, Sequence(content_->tip), content_->log_id);
  if (!header.ok()) return header.status();
  const bool fails = fail_in_ > 0 && --fail_in_ == 0;
  if (fails) {
    failed_ = absl::InternalError(absl::StrCat("block ", request.first.value(), " to ", request.last.value(),
                                               " could not be written (a failure that was asked for): end the process, "
                                               "a restart folds the log again"));
    if (failure_ == Failure::kNothingWritten) return failed_;
  }
  content_->log_id = header->log_id;
  content_->blocks[request.first.value()] =
      StoredBlock{.first = request.first, .block = std::string(request.block), .bulk = std::string(request.bulk)};
  if (request.ownership_periods != nullptr) {
    for (const SideRow& row : *request.ownership_periods) {
      content_->periods[row.key] = {row.value, request.first.value()};
    }
  }
  content_->tip = request.last.value();
  if (sync_on_append_) content_->synced_tip = content_->tip;
  return failed_;
}

Sequence MemoryLog::Tip() const {
  const std::lock_guard lock(content_->mutex);
  return Sequence(content_->tip);
}

absl::StatusOr<std::unique_ptr<BlockReader>> MemoryLog::NewReader(Sequence from) const {
  const std::lock_guard lock(content_->mutex);
  return std::make_unique<Reader>(content_, from);
}

absl::StatusOr<std::vector<SideRow>> MemoryLog::OwnershipPeriods(std::string_view prefix, std::string_view after,
                                                                 std::size_t limit) const {
  const std::lock_guard lock(content_->mutex);
  std::vector<SideRow> rows;
  auto row = content_->periods.lower_bound(prefix);
  if (!after.empty() && after >= prefix) row = content_->periods.upper_bound(after);
  for (; row != content_->periods.end() && rows.size() < limit && row->first.starts_with(prefix); ++row) {
    rows.push_back({.key = row->first, .value = row->second.first});
  }
  return rows;
}

std::uint64_t MemoryLog::SizeBytes() const { return 0; }

void MemoryLog::FailAppend(std::uint64_t nth, Failure failure) {
  HOLDFAST_CHECK(nth > 0);
  fail_in_ = nth;
  failure_ = failure;
}

void MemoryLog::Sync() {
  const std::lock_guard lock(content_->mutex);
  content_->synced_tip = content_->tip;
}

void MemoryLog::Crash() {
  const std::lock_guard lock(content_->mutex);
  const std::uint64_t kept = content_->synced_tip;
  std::erase_if(content_->blocks, [&](const auto& block) { return block.first > kept; });
  std::erase_if(content_->periods, [&](const auto& row) { return row.second.second > kept; });
  content_->tip = kept;
  if (kept == 0) content_->log_id.reset();
  ++content_->generation;
  failed_ = absl::OkStatus();
  fail_in_ = 0;
}

void MemoryLog::DropBulk(Sequence before) {
  const std::lock_guard lock(content_->mutex);
  for (auto& [first, block] : content_->blocks) {
    if (first < before.value()) block.bulk.clear();
  }
}

void MemoryLog::ReplaceBlock(Sequence first, std::string block) {
  const std::lock_guard lock(content_->mutex);
  const auto found = content_->blocks.find(first.value());
  HOLDFAST_CHECK(found != content_->blocks.end());
  if (block.empty()) {
    content_->blocks.erase(found);
  } else {
    found->second.block = std::move(block);
  }
}

}  // namespace holdfast
