#include "base/digest.h"

#include <xxhash.h>

namespace holdfast {

std::array<std::uint8_t, 16> Digest::Bytes() const {
  std::array<std::uint8_t, 16> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(sum_ >> (8 * i));
  return bytes;
}

RowHasher& RowHasher::Text(std::string_view text) {
  Number(text.size());
  if (used_ + text.size() > sizeof buffer_) Spill();
  if (text.size() > sizeof buffer_) {
    spilled_.append(text);
    return *this;
  }
  std::memcpy(buffer_ + used_, text.data(), text.size());
  used_ += text.size();
  return *this;
}

void RowHasher::Spill() {
  spilled_.append(buffer_, used_);
  used_ = 0;
}

Digest RowHasher::Finish() {
  if (spilled_.empty()) {
    const XXH128_hash_t hash = XXH3_128bits(buffer_, used_);
    return Digest(hash.low64, hash.high64);
  }
  Spill();
  const XXH128_hash_t hash = XXH3_128bits(spilled_.data(), spilled_.size());
  return Digest(hash.low64, hash.high64);
}

}  // namespace holdfast
