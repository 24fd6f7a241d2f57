// The canonical encoding that checksums are taken of: little-endian integers, text with its length in front, a presence
// byte before a message. Independent of protobuf bytes, the same in every language.
//
// Thread: belongs to one thread at a time, with the Sha256 that it feeds. Promises: equal fields give equal hashes,
// whatever the calls were split into. Does not: know any message; the field order is the caller's contract.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/little_endian.h"
#include "base/sha256.h"

namespace holdfast {

class CanonicalWriter {
 public:
  // Requires: `hasher` outlives this and is between two hashes.
  explicit CanonicalWriter(Sha256& hasher) : hasher_(hasher) {}

  CanonicalWriter& U64(std::uint64_t value) { return Integer(value); }
  // Times: microseconds, absent 0.
  CanonicalWriter& I64(std::int64_t value) { return Integer(value); }
  // u8: 1 when a message follows, 0 when it is absent.
  CanonicalWriter& Presence(bool present) { return Integer(static_cast<std::uint8_t>(present ? 1 : 0)); }
  // u32 length, then the bytes.
  CanonicalWriter& String(std::string_view text) {
    return Integer(static_cast<std::uint32_t>(text.size())).Bytes(text);
  }
  // The bytes alone, without a length: a hash, or a fixed label.
  CanonicalWriter& Bytes(std::string_view bytes) {
    if (bytes.size() > sizeof buffer_ - used_) Flush();
    if (bytes.size() > sizeof buffer_) {
      hasher_.Update(bytes);
      return *this;
    }
    if (!bytes.empty()) std::memcpy(buffer_ + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
    return *this;
  }
  CanonicalWriter& Hash(const Hash256& hash) { return Bytes(AsBytes(hash)); }

  // The hash of all fields since the last Finish; begins anew.
  Hash256 Finish() {
    Flush();
    return hasher_.Finish();
  }

 private:
  template <class Number>
  CanonicalWriter& Integer(Number value) {
    if (sizeof value > sizeof buffer_ - used_) Flush();
    StoreLittleEndian(value, buffer_ + used_);
    used_ += sizeof value;
    return *this;
  }
  void Flush() {
    hasher_.Update(std::string_view(buffer_, used_));
    used_ = 0;
  }

  Sha256& hasher_;
  char buffer_[512];  // small fields are gathered: a call into the library for each would cost more than its hash
  std::size_t used_ = 0;
};

}  // namespace holdfast
