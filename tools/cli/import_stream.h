// One attempt at the import stream: sends batches, keeps what is not answered yet, hands the answers to the tally.
//
// Called by ImportSender. Send() and Close() are the sender's; the answers come on a thread of the stream's own, so a
// daemon that writes a long answer is always read. Promises that at most kMaxUnanswered batches are on their way, that
// an answer is counted once, in order, and that after Close() the unanswered ones are there to be sent again.

#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tools/cli/call_guard.h"
#include "tools/cli/import_batch.h"
#include "tools/cli/import_tally.h"
#include "tools/cli/invocation.h"

namespace holdfast::cli {

using ImportBatches = std::deque<std::shared_ptr<const ImportBatch>>;

class ImportStream {
 public:
  // `answered` runs on the stream's thread after each answer.
  ImportStream(Invocation& invocation, ImportTally& tally, std::function<void()> answered);
  ~ImportStream();
  ImportStream(const ImportStream&) = delete;
  ImportStream& operator=(const ImportStream&) = delete;

  // Waits for room. Returns false when the stream is broken; the batch is then among the unanswered.
  bool Send(std::shared_ptr<const ImportBatch> batch);

  struct End {
    grpc::Status status;
    CallEnd end = CallEnd::kByItself;
    std::string unfit;               // not empty: an answer that does not fit what was asked
    bool anything_answered = false;  // in this attempt
    ImportBatches unanswered;
  };
  // Waits for the answers that are due. Requires: called once, last.
  End Close();

 private:
  void ReadAnswers();

  const std::chrono::microseconds deadline_;
  ImportTally& tally_;
  const std::function<void()> answered_;
  grpc::ClientContext context_;
  CallGuard guard_;
  std::unique_ptr<grpc::ClientReaderWriter<admin::v1::ImportProxiesRequest, admin::v1::ImportProxiesResponse>> stream_;

  std::mutex mutex_;
  std::condition_variable changed_;
  ImportBatches unanswered_;        // guarded by mutex_
  std::uint64_t next_index_ = 0;    // guarded by mutex_; of the next answer, in this stream
  bool over_ = false;               // guarded by mutex_
  bool anything_answered_ = false;  // guarded by mutex_
  std::string unfit_;               // guarded by mutex_
  std::thread reader_;
};

}  // namespace holdfast::cli
