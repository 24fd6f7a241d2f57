#include "pool/redis_resync.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "pool/check.h"
#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

constexpr std::size_t kWindowCalls = 32;  // in flight at a time

}  // namespace

absl::StatusOr<ResyncResult> RedisResync::Begin(const ResyncStart& start, const Deadline& deadline) {
  if (absl::Status status = CheckStart(start); !status.ok()) return status;
  phase_.End();
  ScriptCall call{.keys = {keys_.Meta()}, .arguments = WriterArguments(start.controller_epoch, start.log_id)};
  call.arguments.push_back(start.adopt ? "1" : "0");
  const ScriptCall calls[] = {std::move(call)};
  const auto replies = link_.RunScript(kResyncBeginScript, calls, deadline);
  if (!replies.ok()) return replies.status();
  const auto answer = DecodeAnswer(replies->front());
  if (!answer.ok()) return answer.status();
  if (answer->verdict != Verdict::kDone) return ResyncResult{answer->verdict, answer->position};
  if (answer->rest.size() != 1) return WrongAnswer("Redis: a resync began without a number");
  attempt_ = answer->rest[0].text;
  start_ = start;
  step_ = done_step_ = 0;
  cursor_ = "0";
  cursor_generation_ = link_.generation();
  phase_.Begin();
  return ResyncResult{Verdict::kDone, answer->position};
}

ScriptCall RedisResync::NextStep() {
  ScriptCall call{.keys = {keys_.Meta()}, .arguments = WriterArguments(start_.controller_epoch, start_.log_id)};
  call.arguments.push_back(attempt_);
  call.arguments.push_back(ToText(++step_));
  call.arguments.push_back(ToText(done_step_));
  return call;
}

absl::StatusOr<ResyncResult> RedisResync::RunSteps(const RedisScript& script, std::span<const ScriptCall> calls,
                                                   const Deadline& deadline) {
  const auto replies = link_.RunScript(script, calls, deadline);
  if (!replies.ok()) return replies.status();
  ResyncResult result;
  for (const RedisReply& reply : *replies) {
    const auto answer = DecodeAnswer(reply);
    if (!answer.ok()) return answer.status();
    result = {answer->verdict, answer->position};
    // It stood behind a later step, which can be after Redis lost its scripts between two calls.
    if (result.verdict == Verdict::kRepeat) return CutOff("Redis: a step of the resync was overtaken: repeat it");
    if (result.verdict != Verdict::kDone) return result;
  }
  done_step_ = step_;
  return result;
}

absl::StatusOr<std::vector<std::string>> RedisResync::NextKeys(const Deadline& deadline) {
  if (absl::Status status = link_.Connect(deadline); !status.ok()) return status;
  // Another connection may lead to another server, where this cursor means nothing.
  if (cursor_generation_ != link_.generation()) cursor_ = "0";
  const RedisCommand commands[] = {
      {"SCAN", cursor_, "MATCH", absl::StrCat(keys_.prefix(), "*"), "COUNT", absl::StrCat(kMaxKeys / 2)}};
  const auto replies = link_.Run(commands, deadline);
  if (!replies.ok()) return replies.status();
  const RedisReply& reply = replies->front();
  if (!reply.is_array() || reply.elements.size() != 2) return WrongAnswer("Redis: SCAN answers without a cursor");
  std::vector<std::string> keys;
  for (const RedisReply& key : reply.elements[1].elements) {
    if (key.text != keys_.Meta()) keys.push_back(key.text);
  }
  cursor_ = reply.elements[0].text;
  cursor_generation_ = link_.generation();
  return keys;
}

absl::StatusOr<ClearProgress> RedisResync::ClearSome(const Deadline& deadline) {
  if (absl::Status status = phase_.MayClear(); !status.ok()) return status;
  const std::string before = cursor_;
  const auto keys = NextKeys(deadline);
  if (!keys.ok()) return keys.status();
  ClearProgress progress;
  for (std::size_t done = 0; done < keys->size();) {
    ScriptCall call = NextStep();
    const std::size_t count = std::min(keys->size() - done, kMaxKeys - call.keys.size());
    const auto first = keys->begin() + static_cast<std::ptrdiff_t>(done);
    call.keys.insert(call.keys.end(), first, first + static_cast<std::ptrdiff_t>(count));
    const ScriptCall calls[] = {std::move(call)};
    const auto step = RunSteps(kResyncClearScript, calls, deadline);
    if (!step.ok()) cursor_ = before;  // the slice is read once more
    if (!step.ok()) return step.status();
    progress.verdict = step->verdict;
    progress.position = step->position;
    if (step->verdict != Verdict::kDone) return progress;
    done += count;
  }
  progress.removed = keys->size();
  progress.finished = cursor_ == "0";
  if (progress.finished) phase_.Cleared();
  return progress;
}

absl::StatusOr<ResyncResult> RedisResync::WriteRows(std::span<const Write> rows, const Deadline& deadline) {
  if (absl::Status status = phase_.MayWrite(); !status.ok()) return status;
  if (absl::Status status = CheckRows(rows); !status.ok()) return status;
  phase_.Written();
  ResyncResult result;
  while (!rows.empty() && result.verdict == Verdict::kDone) {
    std::vector<ScriptCall> calls;
    while (!rows.empty() && calls.size() < kWindowCalls) calls.push_back(NextRows(rows));
    const auto steps = RunSteps(kResyncRowsScript, calls, deadline);
    if (!steps.ok()) return steps;
    result = *steps;
  }
  return result;
}

ScriptCall RedisResync::NextRows(std::span<const Write>& rows) {
  ScriptCall call = NextStep();
  call.keys.push_back(keys_.Available());
  call.arguments.push_back(absl::StrCat(settings_.owned_limit));
  KeyCount count;
  RowEncoder encoder(keys_, call);
  while (!rows.empty() && count.count() + count.Added(rows.front()) + kSharedKeys <= kMaxKeys) {
    count.Add(rows.front());
    encoder.Add(rows.front());
    rows = rows.subspan(1);
  }
  return call;
}

absl::StatusOr<ResyncResult> RedisResync::Finish(Sequence applied_seq, const Deadline& deadline) {
  if (absl::Status status = phase_.MayWrite(); !status.ok()) return status;
  ScriptCall call = NextStep();
  call.arguments.push_back(ToText(applied_seq.value()));
  const ScriptCall calls[] = {std::move(call)};
  const auto result = RunSteps(kResyncFinishScript, calls, deadline);
  if (result.ok()) phase_.End();
  return result;
}

}  // namespace holdfast::pool
