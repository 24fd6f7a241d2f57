#include "tools/cli/import_sender.h"

#include <utility>

#include "client/call_result.h"
#include "tools/cli/call_failure.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {

ImportSender::ImportSender(Invocation& invocation, ImportTally& tally, Settings settings)
    : invocation_(invocation),
      tally_(tally),
      settings_(std::move(settings)),
      retry_(invocation.environment, settings_.patience) {}

SendOutcome ImportSender::Send(ImportBatch batch) {
  return Push({std::make_shared<const ImportBatch>(std::move(batch))}, false);
}

SendOutcome ImportSender::Finish() { return stream_ ? Push({}, true) : SendOutcome::kSent; }

SendOutcome ImportSender::Push(ImportBatches pending, bool finish) {
  while (true) {
    if (!stream_) stream_ = std::make_unique<ImportStream>(invocation_, tally_, settings_.answered);
    bool whole = true;
    while (whole && !pending.empty()) {
      whole = stream_->Send(pending.front());
      pending.pop_front();
    }
    if (whole && !finish) return SendOutcome::kSent;
    ImportStream::End end = stream_->Close();
    stream_.reset();
    pending.insert(pending.begin(), end.unanswered.begin(), end.unanswered.end());
    if (end.status.ok() && end.unfit.empty() && pending.empty()) return SendOutcome::kSent;
    if (!WaitAfter(end)) return SendOutcome::kFailed;
    invocation_.server.Reconnect();
    if (settings_.begins_again) return SendOutcome::kBeginAgain;
  }
}

bool ImportSender::WaitAfter(const ImportStream::End& end) {
  // An import that begins again must get to its end within its patience: an answer alone is no progress.
  if (end.anything_answered && !settings_.begins_again) retry_.Progress();
  anything_answered_ = anything_answered_ || end.anything_answered;
  failure_ = FailureOf(end);
  const auto detail = client::ParseErrorDetail(end.status.error_details());
  // A daemon that was never there is told at once; one that was there comes back.
  const bool was_there = anything_answered_ || detail.has_value();
  const bool may_help = end.status.ok() || MayHelpToRetry(end.status);
  if (end.end != CallEnd::kByItself || !end.unfit.empty() || !was_there || !may_help) return false;
  const std::chrono::microseconds asked(detail && detail->has_retry_after() ? ToMicros(detail->retry_after()) : 0);
  settings_.notice("the import stream ended early; " +
                   std::string(settings_.begins_again ? "beginning again" : "going on after the last answer") +
                   " in a moment");
  if (retry_.Wait(asked)) {
    failure_ = Result::Done();
    return true;
  }
  if (invocation_.environment.interrupt.Requested()) failure_ = Result::CouldNotRun("interrupted.");
  return false;
}

Result ImportSender::FailureOf(const ImportStream::End& end) const {
  if (end.end == CallEnd::kInterrupted) return Result::CouldNotRun("interrupted.");
  if (!end.unfit.empty()) {
    return Result::CouldNotRun("holdfastd at " + invocation_.server.address().text() +
                               " answered what does not fit the import: " + end.unfit +
                               ". Compare its version with `holdfast --version`.");
  }
  if (end.status.ok() && end.end == CallEnd::kByItself) {
    return Result::Fail(ExitCode::kUnreachable, "holdfastd at " + invocation_.server.address().text() +
                                                    " ended the import before it had answered all of it.");
  }
  return CallFailure(invocation_, "ImportProxies", end.status, end.end);
}

}  // namespace holdfast::cli
