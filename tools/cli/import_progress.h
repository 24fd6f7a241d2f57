// The line on a terminal that says how far an import is.
//
// Told by the reader of the lists and by the answers, on two threads. Writes to the error stream, and only where that
// is a terminal: nothing of it ends in a file. Notices are whole lines and go there in any case.

#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "tools/cli/environment.h"
#include "tools/cli/import_tally.h"
#include "tools/cli/progress_line.h"

namespace holdfast::cli {

class ImportProgress {
 public:
  ImportProgress(Environment& environment, const ImportTally& tally) : tally_(tally), line_(environment) {}
  ImportProgress(const ImportProgress&) = delete;
  ImportProgress& operator=(const ImportProgress&) = delete;

  // One more item was taken from the lists.
  void CountRead();
  // An answer came.
  void Show();
  void Notice(const std::string& text);
  void Clear();

 private:
  void ShowLocked();

  const ImportTally& tally_;
  std::mutex mutex_;
  ProgressLine line_;       // guarded by mutex_
  std::uint64_t read_ = 0;  // guarded by mutex_
};

}  // namespace holdfast::cli
