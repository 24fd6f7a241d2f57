#include "tools/import/utf16_source.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace holdfast::importer {
namespace {

constexpr std::size_t kInputBytes = 1u << 14;
constexpr char kNoUtf8 = '\xff';

bool IsHighSurrogate(std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool IsLowSurrogate(std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

void AppendUtf8(std::uint32_t point, std::string* out) {
  if (point < 0x80) {
    out->push_back(static_cast<char>(point));
    return;
  }
  int shift = point < 0x800 ? 6 : point < 0x10000 ? 12 : 18;
  const unsigned lead = point < 0x800 ? 0xc0 : point < 0x10000 ? 0xe0 : 0xf0;
  out->push_back(static_cast<char>(lead | (point >> shift)));
  for (shift -= 6; shift >= 0; shift -= 6) out->push_back(static_cast<char>(0x80 | ((point >> shift) & 0x3f)));
}

class Utf16Source final : public ByteSource {
 public:
  Utf16Source(ByteSource* inner, Utf16Order order) : inner_(inner), order_(order) {}

  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) override {
    while (position_ == decoded_.size() && !ended_) {
      if (const absl::Status status = Decode(); !status.ok()) return status;
    }
    const std::size_t count = std::min(size, decoded_.size() - position_);
    std::memcpy(buffer, decoded_.data() + position_, count);
    position_ += count;
    return count;
  }

 private:
  absl::Status Decode() {
    decoded_.clear();
    position_ = 0;
    std::array<char, kInputBytes> input;
    const absl::StatusOr<std::size_t> count = inner_->Read(input.data(), input.size());
    if (!count.ok()) return count.status();
    for (std::size_t i = 0; i < *count; ++i) TakeByte(static_cast<unsigned char>(input[i]));
    if (*count == 0) End();
    return absl::OkStatus();
  }

  void TakeByte(unsigned char byte) {
    if (!has_first_) {
      first_ = byte;
      has_first_ = true;
      return;
    }
    has_first_ = false;
    TakeUnit(order_ == Utf16Order::kLittleEndian ? first_ | (std::uint32_t{byte} << 8)
                                                 : (std::uint32_t{first_} << 8) | byte);
  }

  void TakeUnit(std::uint32_t unit) {
    if (high_ != 0 && IsLowSurrogate(unit)) {
      AppendUtf8(0x10000 + ((high_ - 0xd800) << 10) + (unit - 0xdc00), &decoded_);
      high_ = 0;
      return;
    }
    if (high_ != 0) decoded_.push_back(kNoUtf8);
    high_ = IsHighSurrogate(unit) ? unit : 0;
    if (high_ != 0) return;
    if (IsLowSurrogate(unit)) {
      decoded_.push_back(kNoUtf8);
    } else {
      AppendUtf8(unit, &decoded_);
    }
  }

  void End() {
    ended_ = true;
    if (has_first_ || high_ != 0) decoded_.push_back(kNoUtf8);
  }

  ByteSource* inner_;
  Utf16Order order_;
  std::string decoded_;
  std::size_t position_ = 0;
  unsigned char first_ = 0;
  bool has_first_ = false;
  std::uint32_t high_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> MakeUtf16Source(ByteSource* inner, Utf16Order order) {
  return std::make_unique<Utf16Source>(inner, order);
}

}  // namespace holdfast::importer
