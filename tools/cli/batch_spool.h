// Batches on disk, to be read from the start as often as needed.
//
// Used by an import that replaces a source: the daemon must hear all of a list in one stream, so a broken stream begins
// again, also when the list came from standard input. Thread: one. An unnamed temporary file: gone with the process,
// holds references to credentials and never a credential.

#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "tools/cli/import_batch.h"

namespace holdfast::cli {

class BatchSpool {
 public:
  static absl::StatusOr<BatchSpool> Create();

  absl::Status Append(const ImportBatch& batch);
  absl::Status Rewind();
  // Absent: that was the last. Requires: Rewind() after the last Append().
  absl::StatusOr<std::optional<ImportBatch>> Next();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  explicit BatchSpool(std::FILE* file) : file_(file) {}

  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace holdfast::cli
