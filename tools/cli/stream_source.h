// A std::istream as a source of bytes for the parser: standard input.
//
// Used by the import for "-". Thread: the reader's. Gives what is there rather than waiting for a full buffer, so that
// a slow pipe is imported as it comes. Does not own the stream.

#pragma once

#include <istream>

#include "tools/import/byte_source.h"

namespace holdfast::cli {

class StreamSource final : public importer::ByteSource {
 public:
  explicit StreamSource(std::istream& in) : in_(in) {}

  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) override {
    if (in_.peek() == std::istream::traits_type::eof()) return 0;
    return static_cast<std::size_t>(in_.readsome(buffer, static_cast<std::streamsize>(size)));
  }

 private:
  std::istream& in_;
};

}  // namespace holdfast::cli
