#include "events/rocksdb_wal_scanner.h"

#include <algorithm>

#include "base/crc32c.h"
#include "base/little_endian.h"

namespace holdfast {
namespace {

constexpr std::size_t kBlockBytes = 32'768;
constexpr std::size_t kHeaderBytes = 7;
constexpr std::size_t kLengthOffset = 4;
constexpr std::size_t kTypeOffset = 6;
constexpr std::size_t kLeastWriteBytes = 12;  // a write's own header: sequence and count
enum FragmentType : std::uint8_t { kZero = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

std::uint32_t Unmask(std::uint32_t masked) {
  const std::uint32_t rotated = masked - 0xa282ead8u;
  return rotated >> 17 | rotated << 15;
}

}  // namespace

WalScanner::WalScanner(std::string_view bytes, std::size_t begin, std::size_t limit) : bytes_(bytes), offset_(begin) {
  while (whole_writes_ < limit && ReadFragment() == Step::kGoOn) {
  }
}

std::string WalScanner::last_write() const {
  std::string write;
  for (const Piece& piece : last_) write.append(bytes_.substr(piece.begin, piece.size));
  return write;
}

WalScanner::Step WalScanner::ReadFragment() {
  if (LeftInBlock(offset_) < kHeaderBytes)
    offset_ += LeftInBlock(offset_);  // too short for a fragment: filled with zeros
  if (offset_ >= bytes_.size()) return within_write_ ? Damaged(true) : Step::kEnd;
  if (bytes_.size() - offset_ < kHeaderBytes) return Damaged(true);
  const auto length = std::size_t{LoadLittleEndian<std::uint16_t>(bytes_.data() + offset_ + kLengthOffset)};
  const auto type = static_cast<std::uint8_t>(bytes_[offset_ + kTypeOffset]);
  if (type == kZero && length == 0) return AtZeros();
  if (kHeaderBytes + length > LeftInBlock(offset_)) return Damaged(false);
  if (kHeaderBytes + length > bytes_.size() - offset_) return Damaged(true);
  if (!ChecksumIsRight(offset_, length)) return Damaged(false);
  return TakeFragment(type, length);
}

WalScanner::Step WalScanner::AtZeros() {
  // A file may end in zeros that were never written over. Anything behind them is a hole.
  const bool only_zeros = bytes_.find_first_not_of('\0', offset_) == std::string_view::npos;
  if (only_zeros && !within_write_) return Step::kEnd;
  return Damaged(false);
}

WalScanner::Step WalScanner::TakeFragment(std::uint8_t type, std::size_t length) {
  const bool begins = type == kFull || type == kFirst;
  if (type < kFull || type > kLast || begins == within_write_) return Damaged(false);
  if (begins) open_.clear();
  open_.push_back({.begin = offset_ + kHeaderBytes, .size = length});
  offset_ += kHeaderBytes + length;
  within_write_ = type == kFirst || type == kMiddle;
  if (!within_write_) {
    last_ = open_;
    ++whole_writes_;
  }
  return Step::kGoOn;
}

WalScanner::Step WalScanner::Damaged(bool cut_off) {
  Damage damage;
  damage.offset = std::min(offset_, bytes_.size());
  damage.write_offset = within_write_ ? open_.front().begin - kHeaderBytes : damage.offset;
  damage.cut_off = cut_off;
  const std::size_t left = std::min(bytes_.size() - damage.offset, LeftInBlock(damage.offset));
  damage.length_is_a_lie = left > kHeaderBytes && ChecksumIsRight(damage.offset, left - kHeaderBytes);
  damage.intact_write_after = FindWriteAfter(damage.offset);
  damage_ = damage;
  return Step::kDamaged;
}

bool WalScanner::ChecksumIsRight(std::size_t header, std::size_t length) const {
  const std::string_view covered = bytes_.substr(header + kTypeOffset, 1 + length);  // the type and the bytes
  return covered.size() == 1 + length &&
         Crc32c(covered) == Unmask(LoadLittleEndian<std::uint32_t>(bytes_.data() + header));
}

std::optional<std::size_t> WalScanner::FindWriteAfter(std::size_t offset) const {
  // The damaged length says nothing about where the next fragment begins: every place is tried.
  for (std::size_t at = offset + 1; at + kHeaderBytes + kLeastWriteBytes <= bytes_.size(); ++at) {
    const auto type = static_cast<std::uint8_t>(bytes_[at + kTypeOffset]);
    if (type != kFull && type != kFirst) continue;
    const auto length = std::size_t{LoadLittleEndian<std::uint16_t>(bytes_.data() + at + kLengthOffset)};
    if (length < kLeastWriteBytes || kHeaderBytes + length > LeftInBlock(at)) continue;
    if (kHeaderBytes + length <= bytes_.size() - at && ChecksumIsRight(at, length)) return at;
  }
  return std::nullopt;
}

std::size_t WalScanner::LeftInBlock(std::size_t offset) const { return kBlockBytes - offset % kBlockBytes; }

}  // namespace holdfast
