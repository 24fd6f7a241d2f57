// The counts of an import, and the lines that were not taken.
//
// Filled from both sides: the reader of the lists (duplicates, rejected, skipped) and the daemon's answers (added,
// updated, unchanged, rejected, removed). Thread: any; the answers come on a thread of their own. Promises that the
// counts add up: every line that was read is in exactly one of them once all answers have come. Keeps the first
// rejections up to a limit; the count is whole.

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "tools/cli/import_batch.h"

namespace holdfast::cli {

struct ImportCounts {
  std::uint64_t added = 0;
  std::uint64_t updated = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t rejected = 0;
  std::uint64_t skipped = 0;
  std::uint64_t removed = 0;
  std::uint64_t log_sequence = 0;  // of the last answer; 0: none came

  std::uint64_t Answered() const { return added + updated + unchanged; }
};

struct RejectedLine {
  std::uint32_t file = 0;
  std::uint64_t line = 0;
  std::string reason;  // a word: "malformed_line", "duplicate_endpoint"
  std::string detail;
};

class ImportTally {
 public:
  explicit ImportTally(std::size_t most_rejections) : most_rejections_(most_rejections) {}

  void CountDuplicates(std::uint64_t count);
  void CountSkipped(std::uint64_t count);
  // Of the lists, before anything was sent.
  void Reject(RejectedLine rejection);

  // Empty: the answer was counted. Else: why it does not fit the batch, and nothing was counted.
  std::string CountAnswer(const ImportBatch& batch, const admin::v1::ImportProxiesResponse& answer,
                          std::uint64_t first_index);
  // A stream that replaces a source begins again: what its answers had counted is taken back.
  void ForgetAnswers();

  ImportCounts counts() const;
  // By file and line.
  std::vector<RejectedLine> rejections() const;

 private:
  const std::size_t most_rejections_;
  mutable std::mutex mutex_;
  ImportCounts lists_;                           // guarded by mutex_
  ImportCounts answers_;                         // guarded by mutex_
  std::vector<RejectedLine> list_rejections_;    // guarded by mutex_
  std::vector<RejectedLine> answer_rejections_;  // guarded by mutex_
};

}  // namespace holdfast::cli
