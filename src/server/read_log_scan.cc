#include "server/read_log_scan.h"

#include <utility>

#include "controller/proto_time.h"

namespace holdfast::server {

LogFilterSettings FilterOf(const audit::v1::ReadLogRequest& request) {
  return {
      request.proxy_id(), request.member_id(), request.session_id(), {request.kinds().begin(), request.kinds().end()}};
}

absl::StatusOr<Sequence> FirstKept(const EventLog& log) {
  absl::StatusOr<std::unique_ptr<BlockReader>> reader = log.NewReader(Sequence());
  if (!reader.ok()) return reader.status();
  const absl::StatusOr<std::optional<StoredBlock>> block = (*reader)->Next();
  if (!block.ok()) return block.status();
  if (!block->has_value()) return absl::NotFoundError("the log is empty");
  return (*block)->first;
}

absl::StatusOr<bool> LogScan::FindEntry() {
  if (!reader_) {
    absl::StatusOr<std::unique_ptr<BlockReader>> reader = log_.NewReader(next_);
    if (!reader.ok()) return reader.status();
    reader_ = std::move(*reader);
  }
  while (true) {
    for (; block_ && index_ < view_.entries().size(); ++index_) {
      if (view_.entries()[index_].sequence >= next_) return true;
    }
    block_.reset();
    absl::StatusOr<std::optional<StoredBlock>> block = reader_->Next();
    if (!block.ok()) return block.status();
    if (!block->has_value()) return false;
    block_ = std::move(*block);
    index_ = 0;
    if (absl::Status status = view_.Parse(block_->block, block_->bulk); !status.ok()) return status;
  }
}

absl::Status LogScan::TakeEntry(const EntryView& entry, audit::v1::ReadLogResponse* out) {
  if (absl::Status status = ParseEntry(entry, messages_); !status.ok()) return status;
  if (!filter_.Matches(entry, messages_)) return absl::OkStatus();
  absl::StatusOr<std::string> json = EntryJson(messages_, kBytesPerLine);
  if (!json.ok()) return json.status();
  bytes_ += json->size();
  audit::v1::LogLine* line = out->add_lines();
  line->set_sequence(entry.sequence.value());
  PutTime(entry.at, line->mutable_at());
  line->set_kind(EntryKind(messages_));
  line->set_principal(std::string(entry.principal));
  line->set_json(std::move(*json));
  const Hash256 hash = EntryHashOf(entry, hasher_);
  line->set_entry_hash(hash.data(), hash.size());
  return absl::OkStatus();
}

absl::Status LogScan::Step(audit::v1::ReadLogResponse* out) {
  at_end_ = false;
  bytes_ = 0;
  for (std::size_t looked_at = 0; looked_at < kEntriesPerSlice; ++looked_at) {
    if (out->lines_size() >= kLinesPerSlice || bytes_ >= kBytesPerSlice) break;
    const absl::StatusOr<bool> found = FindEntry();
    if (!found.ok()) return found.status();
    if (!*found) {
      at_end_ = true;
      break;
    }
    const EntryView& entry = view_.entries()[index_];
    if (absl::Status status = TakeEntry(entry, out); !status.ok()) return status;
    next_ = Next(entry.sequence);
  }
  out->set_next_sequence(next_.value());
  return absl::OkStatus();
}

}  // namespace holdfast::server
