// Reads fields out of bytes that may be anything: every read is checked against what is left.
//
// Thread: a plain value. Promises: never past the end; a failed read leaves the offset where it was, so that an error
// can name it.

#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include "base/little_endian.h"

namespace holdfast {

class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : bytes_(bytes) {}

  std::size_t offset() const { return offset_; }
  std::size_t left() const { return bytes_.size() - offset_; }

  template <std::integral Integer>
  [[nodiscard]] bool Read(Integer* value) {
    if (left() < sizeof *value) return false;
    *value = LoadLittleEndian<Integer>(bytes_.data() + offset_);
    offset_ += sizeof *value;
    return true;
  }
  [[nodiscard]] bool Read(std::size_t size, std::string_view* out) {
    if (left() < size) return false;
    *out = bytes_.substr(offset_, size);
    offset_ += size;
    return true;
  }

 private:
  std::string_view bytes_;
  std::size_t offset_ = 0;
};

}  // namespace holdfast
