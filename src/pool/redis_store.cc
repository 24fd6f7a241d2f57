#include "pool/redis_store.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <vector>

#include "pool/check.h"
#include "pool/redis_scan.h"
#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

constexpr std::size_t kWindowCalls = 32;  // in flight at a time
constexpr std::size_t kBatchKeys = 3;     // meta, available, settling
constexpr std::size_t kMaxDue = kSharedKeys - kBatchKeys;

absl::StatusOr<RowCounts> DecodeCounts(std::span<const RedisReply> rest) {
  if (rest.size() != 3) return WrongAnswer("Redis: a batch is answered without its counts");
  return RowCounts{.refused = static_cast<std::uint64_t>(rest[0].integer),
                   .unindexed = static_cast<std::uint64_t>(rest[1].integer),
                   .strays = static_cast<std::uint64_t>(rest[2].integer)};
}

absl::StatusOr<ExtractResult> DecodeExtraction(const ScriptAnswer& answer) {
  ExtractResult result{.verdict = answer.verdict, .moved = {}, .position = answer.position};
  if (answer.verdict != Verdict::kDone) return result;
  if (answer.rest.size() % 2 != 1) return WrongAnswer("Redis: an extraction is answered by half");
  result.cancelled = answer.rest[0].text == "1";
  for (std::size_t i = 1; i < answer.rest.size(); i += 2) {
    auto proxies = SplitTexts(answer.rest[i + 1].text);
    if (!proxies) return WrongAnswer("Redis: the record of an extraction is not what was written");
    result.moved.push_back({answer.rest[i].text, *std::move(proxies)});
  }
  return result;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RedisStore>> RedisStore::Make(RedisSettings settings, const BootClock& clock,
                                                             RedisBackoff::Generator jitter) {
  if (absl::Status status = Validate(settings); !status.ok()) return status;
  return std::unique_ptr<RedisStore>(new RedisStore(std::move(settings), clock, std::move(jitter)));
}

RedisStore::RedisStore(RedisSettings settings, const BootClock& clock, RedisBackoff::Generator jitter)
    : settings_(std::move(settings)),
      keys_(settings_.key_prefix),
      link_(settings_, clock, std::move(jitter)),
      resync_(link_, keys_, settings_) {}

absl::StatusOr<Position> RedisStore::ReadPosition(Duration patience) {
  const RedisCommand commands[] = {{"HMGET", keys_.Meta(), "log_id", "controller_epoch", "applied_seq", "resync"}};
  const auto replies = link_.Run(commands, link_.Until(patience));
  if (!replies.ok()) return replies.status();
  return DecodePosition(replies->front().elements);
}

absl::Status RedisStore::LoadSettling(const Deadline& deadline) {
  if (absl::Status status = link_.Connect(deadline); !status.ok()) return status;
  if (settling_generation_ == link_.generation()) return absl::OkStatus();
  const RedisCommand commands[] = {{"HGETALL", keys_.Settling()}};
  const auto replies = link_.Run(commands, deadline);
  if (!replies.ok()) return replies.status();
  settling_.clear();
  const std::vector<RedisReply>& fields = replies->front().elements;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    const auto entry = ParseNumber(fields[i + 1].text);
    if (!entry) return WrongAnswer(absl::StrCat("Redis: ", keys_.Settling(), " holds no sequence: rebuild the store"));
    settling_.emplace(fields[i].text, *entry);
  }
  settling_generation_ = link_.generation();
  return absl::OkStatus();
}

absl::StatusOr<ApplyResult> RedisStore::Apply(std::span<const Batch> batches, Duration patience) {
  const absl::StatusOr<RunResult> run = Run(std::vector<Call>(batches.begin(), batches.end()), patience);
  if (!run.ok()) return run.status();
  return ApplyResult{run->verdict, run->finished, run->repeats, run->counts, run->position};
}

absl::StatusOr<RunResult> RedisStore::Run(std::span<const Call> calls, Duration patience) {
  const Deadline deadline = link_.Until(patience);
  for (const Call& call : calls) {
    if (absl::Status status = CheckCall(call); !status.ok()) return status;
  }
  if (absl::Status status = LoadSettling(deadline); !status.ok()) return status;
  RunResult result;
  for (std::size_t first = 0; first < calls.size(); first += kWindowCalls) {
    const auto window = calls.subspan(first, std::min(kWindowCalls, calls.size() - first));
    std::vector<ScriptCall> scripts;
    for (const Call& call : window) {
      scripts.push_back(std::visit([this](const auto& one) { return Encode(one); }, call));
    }
    const auto replies = link_.RunScript(kApplyScript, scripts, deadline);
    if (!replies.ok()) return replies.status();
    const auto go_on = Count(window, scripts, *replies, result);
    if (!go_on.ok()) return go_on.status();
    if (!*go_on) break;
  }
  return result;
}

ScriptCall RedisStore::Encode(const Batch& batch) {
  ScriptCall call{.keys = {keys_.Meta(), keys_.Available(), keys_.Settling()},
                  .arguments = WriterArguments(batch.controller_epoch, batch.log_id)};
  for (std::string text : {ToText(batch.follows.value()), ToText(batch.upto.value()), ToText(batch.part),
                           std::string(batch.last_part ? "1" : "0"), ToText(settings_.owned_limit)}) {
    call.arguments.push_back(std::move(text));
  }
  EncodeSettled(batch, call);
  RowEncoder encoder(keys_, call);
  for (const Write& write : batch.writes) encoder.Add(write);
  return call;
}

void RedisStore::EncodeSettled(const Batch& batch, ScriptCall& call) {
  auto& arguments = call.arguments;
  const auto add_key = [&](std::string key) {
    call.keys.push_back(std::move(key));
    return ToText(call.keys.size());
  };
  const std::size_t due = batch.last_part ? std::min(settling_.size(), kMaxDue) : 0;
  arguments.push_back(ToText(batch.settled.size()));
  arguments.push_back(ToText(due));
  for (const Settled& settled : batch.settled) {
    arguments.push_back(settled.extraction_id);
    arguments.push_back(ToText(settled.entry.value()));
    arguments.push_back(add_key(keys_.Extracted(settled.extraction_id)));
  }
  auto next = settling_.begin();
  for (std::size_t i = 0; i < due; ++i, ++next) {
    arguments.push_back(next->first);
    arguments.push_back(add_key(keys_.Extracted(next->first)));
  }
  for (const Settled& settled : batch.settled) settling_.insert_or_assign(settled.extraction_id, settled.entry);
}

void RedisStore::Forget(const Batch& batch, const ScriptCall& call) {
  if (!batch.last_part) return;
  const std::string prefix = keys_.Extracted("");
  for (const std::string& key : call.keys) {
    if (!key.starts_with(prefix)) continue;
    const auto settled = settling_.find(key.substr(prefix.size()));
    if (settled != settling_.end() && settled->second < batch.upto) settling_.erase(settled);
  }
}

absl::StatusOr<bool> RedisStore::Count(std::span<const Call> calls, std::span<const ScriptCall> scripts,
                                       std::span<const RedisReply> replies, RunResult& result) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto answer = DecodeAnswer(replies[i]);
    if (!answer.ok()) return answer.status();
    result.position = answer->position;
    result.verdict = answer->verdict == Verdict::kRepeat ? Verdict::kDone : answer->verdict;
    if (result.verdict != Verdict::kDone) return false;
    ++result.finished;
    const auto* batch = std::get_if<Batch>(&calls[i]);
    if (batch == nullptr) {
      auto extraction = DecodeExtraction(*answer);
      if (!extraction.ok()) return extraction.status();
      result.answers.push_back(*std::move(extraction));
    } else if (answer->verdict == Verdict::kRepeat) {
      ++result.repeats;
    } else {
      Forget(*batch, scripts[i]);
      const auto counts = DecodeCounts(answer->rest);
      if (!counts.ok()) return counts.status();
      result.counts += *counts;
    }
  }
  return true;
}

ScriptCall RedisStore::Encode(const ExtractRequest& request) {
  ScriptCall call{.keys = {keys_.Meta(), keys_.Available(), keys_.Extracted(request.extraction_id)},
                  .arguments = WriterArguments(request.controller_epoch, request.log_id),
                  .script = &kExtractScript};
  for (std::string text :
       {request.extraction_id, ToText(request.sequence.value()), ToText(request.follows.value()), ToText(request.need),
        std::string(request.all_or_nothing ? "1" : "0"), ToText(request.extracted_until)}) {
    call.arguments.push_back(std::move(text));
  }
  for (const Candidate& candidate : request.candidates) {
    call.keys.push_back(keys_.Address(candidate.address));
    call.arguments.push_back(candidate.address);
    call.arguments.push_back(JoinTexts(candidate.proxies));
  }
  return call;
}

ScriptCall RedisStore::Encode(const CancelRequest& request) {
  ScriptCall call{.keys = {keys_.Meta(), keys_.Extracted(request.extraction_id)},
                  .arguments = WriterArguments(request.controller_epoch, request.log_id),
                  .script = &kCancelScript};
  for (std::string text : {request.extraction_id, ToText(request.sequence.value()), ToText(request.follows.value())}) {
    call.arguments.push_back(std::move(text));
  }
  return call;
}

absl::StatusOr<ExtractResult> RedisStore::Extract(const ExtractRequest& request, Duration patience) {
  return RunOne(request, patience);
}

absl::StatusOr<ExtractResult> RedisStore::Cancel(const CancelRequest& request, Duration patience) {
  return RunOne(request, patience);
}

absl::StatusOr<ExtractResult> RedisStore::RunOne(const Call& call, Duration patience) {
  absl::StatusOr<RunResult> run = Run({&call, 1}, patience);
  if (!run.ok()) return run.status();
  if (!run->answers.empty()) return std::move(run->answers.front());
  return ExtractResult{.verdict = run->verdict, .moved = {}, .position = run->position};
}

absl::StatusOr<ResyncResult> RedisStore::BeginResync(const ResyncStart& start, Duration patience) {
  return resync_.Begin(start, link_.Until(patience));
}

absl::StatusOr<ClearProgress> RedisStore::ClearSome(Duration patience) {
  settling_.clear();
  return resync_.ClearSome(link_.Until(patience));
}

absl::StatusOr<ResyncResult> RedisStore::WriteResync(std::span<const Write> rows, Duration patience) {
  return resync_.WriteRows(rows, link_.Until(patience));
}

absl::StatusOr<ResyncResult> RedisStore::FinishResync(Sequence applied_seq, Duration patience) {
  return resync_.Finish(applied_seq, link_.Until(patience));
}

absl::StatusOr<ScanSlice> RedisStore::Scan(const ScanRequest& request, Duration patience) {
  if (absl::Status status = CheckScan(request); !status.ok()) return status;
  return ScanRedis(link_, keys_, request, link_.Until(patience));
}

}  // namespace holdfast::pool
