#include "events/rocksdb_wal_check.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>

#include "base/crc32c.h"
#include "base/little_endian.h"
#include "events/block_view.h"
#include "events/rocksdb_options.h"
#include "events/rocksdb_status.h"
#include "events/rocksdb_wal_scanner.h"

namespace holdfast {
namespace {

constexpr std::size_t kSectorBytes = 512;
// Fewer zeros than this at the edge of a sector may be content.
constexpr std::size_t kLeastZeros = 4;

// The first block that a write holds.
class FindBlock final : public rocksdb::WriteBatch::Handler {
 public:
  rocksdb::Status PutCF(std::uint32_t, const rocksdb::Slice& key, const rocksdb::Slice& value) override {
    if (SequenceOfKey(key) == 0) return rocksdb::Status::OK();
    const absl::StatusOr<BlockHeader> header = ParseBlockHeader({value.data(), value.size()});
    if (header.ok() && header->first.value() == SequenceOfKey(key)) found = *header;
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteCF(std::uint32_t, const rocksdb::Slice&) override { return rocksdb::Status::OK(); }
  rocksdb::Status DeleteRangeCF(std::uint32_t, const rocksdb::Slice&, const rocksdb::Slice&) override {
    return rocksdb::Status::OK();
  }
  void LogData(const rocksdb::Slice&) override {}

  std::optional<BlockHeader> found;
};

std::optional<BlockHeader> BlockOf(const std::string& write) {
  FindBlock find;
  Guarded([&] { return rocksdb::WriteBatch(write).Iterate(&find); }).PermitUncheckedError();
  return find.found;
}

// Whether a sector (or the part of one that belongs to the write) holds nothing but zeros: it never reached the disk.
bool HasPunchedSector(std::string_view bytes, std::size_t begin) {
  for (std::size_t sector = begin / kSectorBytes * kSectorBytes; sector < bytes.size(); sector += kSectorBytes) {
    const std::size_t from = std::max(sector, begin);
    const std::string_view part = bytes.substr(from, std::min(sector + kSectorBytes, bytes.size()) - from);
    if (part.size() >= kLeastZeros && part.find_first_not_of('\0') == std::string_view::npos) return true;
  }
  return false;
}

WalEnd::Kind KindOfDamage(const WalScanner& scanner, std::string_view bytes) {
  const WalScanner::Damage& damage = *scanner.damage();
  if (damage.intact_write_after.has_value() || damage.length_is_a_lie) return WalEnd::Kind::kChanged;
  if (damage.cut_off) return WalEnd::Kind::kCut;
  return HasPunchedSector(bytes, damage.offset) ? WalEnd::Kind::kPunched : WalEnd::Kind::kChanged;
}

std::string Place(const WalScanner& scanner, std::string_view bytes) {
  if (const std::optional<BlockHeader> before = BlockOf(scanner.last_write()); before.has_value()) {
    return absl::StrCat("after sequence ", before->first.value() + before->count - 1);
  }
  if (scanner.damage()->intact_write_after.has_value()) {
    WalScanner rest(bytes, *scanner.damage()->intact_write_after, 1);
    if (const std::optional<BlockHeader> after = BlockOf(rest.last_write()); after.has_value()) {
      return absl::StrCat("before sequence ", after->first.value());
    }
  }
  return "before any block that could be read there";
}

// Numbered *.log files, newest first.
absl::StatusOr<std::map<std::uint64_t, std::filesystem::path, std::greater<>>> WalFiles(const std::string& path) {
  std::map<std::uint64_t, std::filesystem::path, std::greater<>> files;
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  while (!error && entry != std::filesystem::directory_iterator()) {
    std::uint64_t number = 0;
    const std::filesystem::path& file = entry->path();
    if (file.extension() == ".log" && absl::SimpleAtoi(file.stem().string(), &number)) files[number] = file;
    entry.increment(error);
  }
  if (error) {
    return absl::InternalError(
        absl::StrCat("The directory ", path, " of the log could not be listed: ", error.message()));
  }
  return files;
}

}  // namespace

WalEnd CheckWalBytes(std::string_view name, std::string_view bytes) {
  WalEnd end;
  const WalScanner scanner(bytes);
  if (!scanner.damage().has_value()) return end;
  end.kind = KindOfDamage(scanner, bytes);
  end.offset = scanner.damage()->write_offset;
  end.lost_bytes = bytes.size() - end.offset;
  end.text = absl::StrCat(absl::string_view(name.data(), name.size()), ", byte ", end.offset, " of ", bytes.size(),
                          ", ", Place(scanner, bytes));
  return end;
}

absl::StatusOr<WalEnd> CheckWalEnd(const std::string& path) {
  const auto files = WalFiles(path);
  if (!files.ok()) return files.status();
  for (const auto& [number, file] : *files) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    if (!stream) continue;  // empty, or deleted meanwhile by its live owner
    const std::string bytes = std::move(content).str();
    WalEnd end = CheckWalBytes(file.string(), bytes);
    if (end.kind != WalEnd::Kind::kSound || bytes.find_first_not_of('\0') != std::string::npos) return end;
  }
  return WalEnd{};
}

}  // namespace holdfast
