// Sends an import to the daemon, over as many streams as it takes.
//
// Called by the import command with one batch after the other. Thread: the command's. A stream that breaks is opened
// again after a wait, and goes on after the last answered batch; an import that replaces a source cannot do that (the
// daemon must hear all of it in one stream) and says kBeginAgain. Gives up when waiting can not help, when the patience
// is over, or at Ctrl-C; what was answered until then is durable and stays counted.

#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "tools/cli/import_stream.h"
#include "tools/cli/retry_wait.h"

namespace holdfast::cli {

enum class SendOutcome {
  kSent,
  kBeginAgain,  // only of an import that begins again: send everything from the first batch on
  kFailed,      // failure() says why
};

class ImportSender {
 public:
  struct Settings {
    bool begins_again = false;                                      // after a broken stream; else it goes on
    std::chrono::microseconds patience = std::chrono::seconds(60);  // waited without an answer between
    std::function<void()> answered;                                 // after each answer, on another thread
    std::function<void(const std::string&)> notice;                 // one line for a person
  };

  ImportSender(Invocation& invocation, ImportTally& tally, Settings settings);

  SendOutcome Send(ImportBatch batch);
  // Waits for the answers that are due.
  SendOutcome Finish();

  // Gives up what is under way; the answers that came until then are counted.
  void Stop() { stream_.reset(); }

  // After kFailed.
  const Result& failure() const { return failure_; }

 private:
  SendOutcome Push(ImportBatches pending, bool finish);
  // Whether to try again after this end; if not, failure_ is set.
  bool WaitAfter(const ImportStream::End& end);
  Result FailureOf(const ImportStream::End& end) const;

  Invocation& invocation_;
  ImportTally& tally_;
  const Settings settings_;
  RetryWait retry_;
  std::unique_ptr<ImportStream> stream_;
  bool anything_answered_ = false;  // in any stream
  Result failure_;
};

}  // namespace holdfast::cli
