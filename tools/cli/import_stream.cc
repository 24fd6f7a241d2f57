#include "tools/cli/import_stream.h"

#include <utility>

namespace holdfast::cli {

ImportStream::ImportStream(Invocation& invocation, ImportTally& tally, std::function<void()> answered)
    : deadline_(invocation.deadline),
      tally_(tally),
      answered_(std::move(answered)),
      guard_(context_, invocation.environment.interrupt, std::nullopt),
      stream_(invocation.server.pool().ImportProxies(&context_)),
      reader_([this] { ReadAnswers(); }) {}

ImportStream::~ImportStream() {
  if (!reader_.joinable()) return;
  context_.TryCancel();
  Close();
}

bool ImportStream::Send(std::shared_ptr<const ImportBatch> batch) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return over_ || unanswered_.size() < kMaxUnanswered; });
    unanswered_.push_back(batch);
    if (over_) return false;
    if (unanswered_.size() == 1) guard_.Allow(deadline_);
  }
  return stream_->Write(batch->request);
}

ImportStream::End ImportStream::Close() {
  guard_.Allow(deadline_);  // the last answers, and the end of the stream
  stream_->WritesDone();
  reader_.join();
  End end;
  end.status = stream_->Finish();
  end.end = guard_.end();
  end.unfit = unfit_;
  end.anything_answered = anything_answered_;
  end.unanswered = std::move(unanswered_);
  return end;
}

void ImportStream::ReadAnswers() {
  admin::v1::ImportProxiesResponse answer;
  while (stream_->Read(&answer)) {
    std::unique_lock lock(mutex_);
    unfit_ = unanswered_.empty() ? "it answered a batch that was never sent"
                                 : tally_.CountAnswer(*unanswered_.front(), answer, next_index_);
    if (!unfit_.empty()) {
      context_.TryCancel();
      break;
    }
    next_index_ += unanswered_.front()->origins.size();
    unanswered_.pop_front();
    anything_answered_ = true;
    // Without a batch on its way the silence is ours: a slow list is no fault of the daemon.
    guard_.Allow(unanswered_.empty() ? std::nullopt : std::optional(deadline_));
    changed_.notify_all();
    lock.unlock();
    answered_();
  }
  std::lock_guard lock(mutex_);
  over_ = true;
  changed_.notify_all();
}

}  // namespace holdfast::cli
