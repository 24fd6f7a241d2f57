// The lines of a source, one after another, in bounded memory.
//
// Driven by one reader. Promises: each byte is looked at once; a line over the limit is read past and reported with its
// number and no text, so that the next line is whole; the last line may lack its end. A CR before the end belongs to
// the end, any other stays in the line.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/import/byte_source.h"

namespace holdfast::importer {

struct Line {
  std::string_view text;     // until the next call
  std::uint64_t number = 0;  // from 1
  bool too_long = false;     // text is empty
};

class LineReader {
 public:
  // source outlives it. line_end: '\n', or '\r' for lists that know no other.
  LineReader(ByteSource* source, std::size_t max_bytes, char line_end);

  // False at the end, or when the source failed: status() says which.
  bool Next(Line* line);
  const absl::Status& status() const { return status_; }

 private:
  bool Fill();
  void Finish(std::string_view text, Line* line);

  ByteSource* source_;
  std::size_t max_bytes_;
  char line_end_;
  std::vector<char> buffer_;
  std::string_view unread_;
  std::string partial_;  // of a line that began in an earlier buffer
  std::uint64_t number_ = 0;
  absl::Status status_;
};

}  // namespace holdfast::importer
