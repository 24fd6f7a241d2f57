// Where the bytes of a list come from: a file, standard input, memory, or another source seen through a decoder.
//
// Driven by one reader on the thread of the import; a read may block. Promises: bytes come in order, and 0 means the
// end for good. Does not know lines or formats.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace holdfast::importer {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills up to size bytes (size > 0) and says how many; 0 only at the end. An error is final.
  virtual absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) = 0;
};

// A file by name; "-" is standard input.
absl::StatusOr<std::unique_ptr<ByteSource>> OpenFile(const std::string& path);

// The caller keeps the bytes alive.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) override;

 private:
  std::string_view bytes_;
};

// Lets its first bytes be looked at before they are read.
class PeekSource final : public ByteSource {
 public:
  explicit PeekSource(ByteSource* inner) : inner_(inner) {}

  // The first bytes, `size` of them or all that there are; once, before the first Read. A fault behind them is told by
  // the Read that meets it.
  absl::StatusOr<std::string_view> Peek(std::size_t size);
  // Drops bytes that were seen. Requires: count <= size of what Peek gave.
  void Skip(std::size_t count) { position_ += count; }
  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) override;

 private:
  ByteSource* inner_;
  std::string begin_;
  std::size_t position_ = 0;
  absl::Status status_;
};

// Fails with RESOURCE_EXHAUSTED once more than limit bytes were read.
class LimitedSource final : public ByteSource {
 public:
  LimitedSource(ByteSource* inner, std::uint64_t limit) : inner_(inner), left_(limit) {}
  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) override;

 private:
  ByteSource* inner_;
  std::uint64_t left_;
};

}  // namespace holdfast::importer
