#include "events/block_view.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "events/block_format.h"

namespace holdfast {

namespace format = block_format;

namespace {

absl::Status Malformed(std::size_t offset, std::string_view what) {
  return absl::DataLossError(
      absl::StrCat("malformed block at byte ", offset, ": ", absl::string_view(what.data(), what.size())));
}

Hash256 ToHash(std::string_view bytes) {
  Hash256 hash;
  std::memcpy(hash.data(), bytes.data(), hash.size());
  return hash;
}

absl::Status ReadFormat(ByteCursor* cursor, BlockHeader* header) {
  if (!cursor->Read(&header->format)) return Malformed(cursor->offset(), "ends within its format number");
  if (header->format == kBlockFormat) return absl::OkStatus();
  if (header->format == 0) return Malformed(0, "format number 0");
  return absl::UnimplementedError(absl::StrCat("block format ", header->format, " is unknown here (this program reads ",
                                               kBlockFormat, "): use the program that wrote it, or a newer one"));
}

absl::Status ReadFixedFields(ByteCursor* cursor, BlockHeader* header) {
  std::string_view log_id, digest;
  std::uint64_t first = 0;
  if (!cursor->Read(header->log_id.size(), &log_id) || !cursor->Read(&first) || !cursor->Read(&header->count) ||
      !cursor->Read(&header->boot_micros) || !cursor->Read(&header->state_version) ||
      !cursor->Read(header->state_digest.size(), &digest)) {
    return Malformed(cursor->offset(), "ends within its header");
  }
  header->first = Sequence(first);
  std::copy(log_id.begin(), log_id.end(), header->log_id.begin());
  std::copy(digest.begin(), digest.end(), header->state_digest.begin());
  if (first == 0) return Malformed(format::kFirstOffset, "first sequence 0");
  if (header->count == 0) return Malformed(format::kCountOffset, "no entries");
  if (first > std::numeric_limits<std::uint64_t>::max() - header->count) {
    return Malformed(format::kFirstOffset, absl::StrCat("first sequence ", first, " leaves no room for its entries"));
  }
  return absl::OkStatus();
}

absl::Status ReadHeader(ByteCursor* cursor, BlockHeader* header) {
  if (absl::Status status = ReadFormat(cursor, header); !status.ok()) return status;
  if (absl::Status status = ReadFixedFields(cursor, header); !status.ok()) return status;
  std::uint32_t size = 0;
  std::string_view boot_id;
  if (!cursor->Read(&size)) return Malformed(cursor->offset(), "ends within its header");
  if (size == 0 || size > format::kMaxBootIdBytes) {
    return Malformed(format::kBootIdSizeOffset, absl::StrCat("a boot id of ", size, " bytes (1 to 255 are possible)"));
  }
  if (!cursor->Read(size, &boot_id)) return Malformed(cursor->offset(), "ends within its boot id");
  header->boot_id.assign(boot_id);
  return absl::OkStatus();
}

bool ReadText(ByteCursor* cursor, std::string_view* text) {
  std::uint32_t size = 0;
  return cursor->Read(&size) && cursor->Read(size, text);
}

}  // namespace

absl::StatusOr<BlockHeader> ParseBlockHeader(std::string_view block) {
  ByteCursor cursor(block);
  BlockHeader header;
  if (absl::Status status = ReadHeader(&cursor, &header); !status.ok()) return status;
  return header;
}

absl::StatusOr<std::uint32_t> ParseBulkBytes(std::string_view block) {
  ByteCursor cursor(block);
  BlockHeader header;
  std::string_view previous;
  std::uint32_t bulk_bytes = 0;
  if (absl::Status status = ReadHeader(&cursor, &header); !status.ok()) return status;
  if (!cursor.Read(format::kHashBytes, &previous) || !cursor.Read(&bulk_bytes)) {
    return Malformed(cursor.offset(), "ends before its entries");
  }
  return bulk_bytes;
}

absl::Status BlockView::Parse(std::string_view block, std::string_view bulk) {
  absl::Status status = ParseAll(block, bulk);
  if (!status.ok()) {
    header_ = BlockHeader();
    header_bytes_ = {};
    entries_.clear();
  }
  return status;
}

absl::Status BlockView::ParseAll(std::string_view block, std::string_view bulk) {
  entries_.clear();
  bulk_sizes_.clear();
  ByteCursor cursor(block);
  if (absl::Status status = ReadHeader(&cursor, &header_); !status.ok()) return status;
  header_bytes_ = block.substr(0, cursor.offset());
  std::string_view previous, hash;
  std::uint32_t bulk_bytes = 0, entries_bytes = 0;
  if (!cursor.Read(format::kHashBytes, &previous) || !cursor.Read(&bulk_bytes) || !cursor.Read(&entries_bytes)) {
    return Malformed(cursor.offset(), "ends before its entries");
  }
  if (cursor.left() != std::size_t{entries_bytes} + format::kHashBytes) {
    return Malformed(cursor.offset() - 4, absl::StrCat("says ", entries_bytes, " bytes of entries and a hash, has ",
                                                       cursor.left(), " bytes"));
  }
  if (header_.count > entries_bytes / format::kMinEntryBytes) {
    return Malformed(format::kCountOffset,
                     absl::StrCat(header_.count, " entries cannot stand in ", entries_bytes, " bytes"));
  }
  previous_hash_ = ToHash(previous);
  if (absl::Status status = ParseEntries(&cursor); !status.ok()) return status;
  if (!cursor.Read(format::kHashBytes, &hash) || cursor.left() != 0) {
    return Malformed(cursor.offset(), "its entries do not end where they should");
  }
  hash_ = ToHash(hash);
  return AttachBulk(bulk, bulk_bytes);
}

absl::Status BlockView::ParseEntries(ByteCursor* cursor) {
  entries_.resize(header_.count);
  Sequence sequence = header_.first;
  for (EntryView& entry : entries_) {
    entry = EntryView();  // the vector is used again: nothing of an older block may stay
    entry.sequence = sequence;
    if (absl::Status status = ParseEntry(cursor, &entry); !status.ok()) return status;
    sequence = Next(sequence);
  }
  return absl::OkStatus();
}

absl::Status BlockView::ParseEntry(ByteCursor* cursor, EntryView* entry) {
  const auto malformed = [&](std::string_view what) {
    return Malformed(cursor->offset(), absl::StrCat("entry ", entry->sequence.value(), ": ",
                                                    absl::string_view(what.data(), what.size())));
  };
  std::uint8_t flags = 0;
  std::int64_t at = 0;
  std::uint32_t input_bytes = 0;
  if (!cursor->Read(&flags) || !cursor->Read(&at)) return malformed("ends within its front");
  if ((flags & ~format::kBulkFlag) != 0) return malformed(absl::StrCat("unknown flags ", flags));
  entry->at = LogTimeFromMicros(at);
  entry->bulk = (flags & format::kBulkFlag) != 0;
  if (!ReadText(cursor, &entry->principal)) return malformed("its principal runs past the end");
  if (!cursor->Read(&input_bytes)) return malformed("ends before its input");
  if (entry->bulk) {
    if (!cursor->Read(format::kHashBytes, &entry->stored_input_hash)) return malformed("its input hash is cut off");
    bulk_sizes_.push_back(input_bytes);
  } else if (!cursor->Read(input_bytes, &entry->input)) {
    return malformed(absl::StrCat("its input of ", input_bytes, " bytes runs past the end"));
  }
  if (!ReadText(cursor, &entry->events)) return malformed("its events run past the end");
  if (!cursor->Read(format::kEntryCheckBytes, &entry->check)) return malformed("ends within its check");
  return absl::OkStatus();
}

absl::Status BlockView::AttachBulk(std::string_view bulk, std::size_t sealed_bulk_bytes) {
  std::size_t expected = bulk_sizes_.empty() ? 0 : format::kBulkHeaderBytes;
  for (const std::uint32_t size : bulk_sizes_) expected += size;
  if (expected != sealed_bulk_bytes) {
    return Malformed(header_bytes_.size() + format::kHashBytes,
                     absl::StrCat("says ", sealed_bulk_bytes, " bulk bytes, its entries say ", expected));
  }
  const bool dropped = bulk.empty();
  ByteCursor cursor(bulk);
  if (!dropped) {
    std::uint32_t count = 0;
    if (bulk.size() != expected || !cursor.Read(&count) || count != bulk_sizes_.size()) {
      return absl::DataLossError(absl::StrCat("malformed bulk value: ", bulk.size(), " bytes, the block says ",
                                              expected, " in ", bulk_sizes_.size(), " bodies"));
    }
  }
  std::size_t next = 0;
  for (EntryView& entry : entries_) {
    if (!entry.bulk) continue;
    entry.input_dropped = dropped;
    const std::size_t size = bulk_sizes_[next++];
    if (!dropped && !cursor.Read(size, &entry.input)) return Malformed(cursor.offset(), "bulk bodies are cut off");
  }
  return absl::OkStatus();
}

}  // namespace holdfast
