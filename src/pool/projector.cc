#include "pool/projector.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <utility>

#include "pool/batch_parts.h"
#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

constexpr Duration kAtOnce{0};
// With less time left than this the store is not asked any more.
constexpr Duration kLeastPatience = std::chrono::milliseconds(50);
// So often in a row the store refuses what it was judged fit for; then it is written anew.
constexpr std::uint32_t kMostRefusals = 3;

}  // namespace

std::string_view PhaseName(ProjectorPhase phase) {
  constexpr std::array<std::string_view, 6> kNames = {"away", "met", "ready", "writing", "foreign", "superseded"};
  return kNames[static_cast<std::size_t>(phase)];
}

Duration Projector::Step() {
  switch (status_.phase) {
    case ProjectorPhase::kMeeting:
      return Meet();
    case ProjectorPhase::kJudging:
      return Judge();
    case ProjectorPhase::kReady:
      return Serve();
    case ProjectorPhase::kWriting:
      return Write();
    default:
      return LookAgain();
  }
}

void Projector::Enter(ProjectorPhase phase) {
  const bool was_ready = ready();
  status_.phase = phase;
  if (was_ready != ready()) SetSending(ready());
}

bool Projector::SetSending(bool sending) {
  return parts_.source.Read([&](const ControllerState&, Feed& feed) { feed.SetSending(sending); });
}

// ---- trouble
// ---------------------------------------------------------------------------------------------------------

Duration Projector::Stumble(const absl::Status& status) {
  status_.trouble = std::string(status.message());
  Enter(ProjectorPhase::kMeeting);
  const Trouble trouble = TroubleOf(status);
  if (trouble == Trouble::kUnreachable || trouble == Trouble::kDenied) GiveUpIntents(status_.trouble);
  const bool passes = trouble == Trouble::kUnreachable || IsInDoubt(status);
  return passes ? options_.meet_interval : options_.look_interval;
}

Duration Projector::Refused(Verdict verdict) {
  status_.trouble = absl::StrCat("the store refused a call: ", std::string(VerdictName(verdict)));
  if (verdict == Verdict::kStaleEpoch) {
    GiveUpIntents(status_.trouble);
    // It may not be ahead for that: what the store shows is reported first, and judged.
    const bool is_told = status_.phase == ProjectorPhase::kWriting;
    Enter(is_told ? ProjectorPhase::kSuperseded : ProjectorPhase::kMeeting);
    return is_told ? options_.look_interval : kAtOnce;
  }
  if (++refusals_ >= kMostRefusals) rebuild_ = true;
  Enter(ProjectorPhase::kMeeting);
  return refusals_ > 1 ? options_.meet_interval : kAtOnce;
}

// Their clients need not wait: nothing will come in time.
void Projector::GiveUpIntents(const std::string& cause) {
  for (Turn& turn : pending_) {
    auto* intent = std::get_if<IntentTurn>(&turn);
    if (intent == nullptr || std::exchange(intent->given_up, true)) continue;
    parts_.reports.Unanswered(intent->extraction_id, cause);
  }
}

// ---- serving
// ---------------------------------------------------------------------------------------------------------

Duration Projector::Serve() {
  if (rebuild_) {
    Enter(ProjectorPhase::kMeeting);
    return kAtOnce;
  }
  if (!open_.empty() && open_.front().sequence <= status_.applied) return Ask(open_.front());
  if (pending_.empty()) return TakeMore();
  return SendTurns();
}

Duration Projector::TakeMore() {
  const LogTime now = parts_.now();
  // An intent that is open waits for its turn to pass.
  const bool even_empty = !open_.empty() || now - passed_on_ >= options_.idle_interval;
  bool is_judged_anew = false;
  const bool looked = parts_.source.Read([&](const ControllerState& state, Feed& feed) {
    is_judged_anew = feed.judged() != judged_;
    if (feed.lost()) rebuild_ = true;
    for (Turn& turn : feed.TakeTurns(state, even_empty)) pending_.push_back(std::move(turn));
    status_.waiting = feed.waiting();
  });
  if (even_empty) passed_on_ = now;
  status_.waiting_since = LogTime();
  for (const Turn& turn : pending_) {
    const auto* rows = std::get_if<RowsTurn>(&turn);
    if (rows == nullptr) continue;
    status_.waiting += rows->writes.size();
    if (IsAbsent(status_.waiting_since)) status_.waiting_since = rows->oldest;
  }
  if (!looked) return options_.idle_interval;
  // By what it showed before, or by an operator's word: the log may think otherwise of it than is done here.
  if (is_judged_anew) {
    Enter(ProjectorPhase::kMeeting);
    return kAtOnce;
  }
  return pending_.empty() && !rebuild_ ? options_.idle_interval : kAtOnce;
}

// As many turns as go in one round, in the order of the log.
Duration Projector::SendTurns() {
  const LogTime now = parts_.now();
  Duration patience = options_.patience;
  std::vector<Call> calls;
  std::vector<std::size_t> ends;  // of each turn, among the calls
  for (const Turn& turn : pending_) {
    if (calls.size() >= options_.round_calls) break;
    if (const auto* rows = std::get_if<RowsTurn>(&turn)) {
      AddRows(*rows, calls);
    } else {
      const auto& intent = std::get<IntentTurn>(turn);
      const bool is_wanted = !intent.given_up && !IsOver(intent.deadline, now + kLeastPatience);
      if (is_wanted) patience = std::min(patience, intent.deadline - now);
      calls.push_back(is_wanted ? Call(ExtractOf(intent)) : Call(CancelOf(intent)));
    }
    ends.push_back(calls.size());
  }
  const absl::StatusOr<RunResult> result = parts_.store.Run(calls, patience);
  if (!result.ok()) return Stumble(result.status());
  status_.counts += result->counts;
  std::size_t answer = 0;
  for (const std::size_t end : ends) {
    if (end > result->finished) break;
    Finish(result->answers, answer);
  }
  if (result->verdict != Verdict::kDone) return Refused(result->verdict);
  // To a store that is ahead every batch is a repeat, and rows that never came there would count as written.
  if (result->position.applied_seq > status_.applied) return Refused(Verdict::kAhead);
  refusals_ = 0;
  status_.trouble.clear();
  return kAtOnce;
}

// The turn at the front is in the store.
void Projector::Finish(const std::vector<ExtractResult>& answers, std::size_t& next) {
  const Turn turn = std::move(pending_.front());
  pending_.pop_front();
  if (const auto* rows = std::get_if<RowsTurn>(&turn)) {
    status_.applied = rows->upto;
    return;
  }
  const auto& intent = std::get<IntentTurn>(turn);
  status_.applied = intent.sequence;
  Open open{intent.extraction_id, intent.keys, {}, intent.sequence};
  for (const Candidate& candidate : intent.candidates) open.addresses.push_back(candidate.address);
  Report(answers[next++], open);
}

void Projector::AddRows(const RowsTurn& rows, std::vector<Call>& calls) const {
  Batch batch;
  batch.log_id = log_id_;
  batch.controller_epoch = epoch_;
  batch.follows = rows.follows;
  batch.upto = rows.upto;
  batch.writes = rows.writes;
  batch.settled = rows.settled;
  for (Batch& part : SplitBatch(std::move(batch))) calls.emplace_back(std::move(part));
}

// Asked for while the client waits.
ExtractRequest Projector::ExtractOf(const IntentTurn& intent) const {
  return {.log_id = log_id_,
          .controller_epoch = epoch_,
          .extraction_id = intent.extraction_id,
          .follows = intent.follows,
          .sequence = intent.sequence,
          .candidates = intent.candidates,
          .need = intent.need,
          .all_or_nothing = intent.all_or_nothing,
          .extracted_until = intent.extracted_until};
}

// Given up after that.
CancelRequest Projector::CancelOf(const IntentTurn& intent) const {
  return {.log_id = log_id_,
          .controller_epoch = epoch_,
          .extraction_id = intent.extraction_id,
          .follows = intent.follows,
          .sequence = intent.sequence};
}

// One whose turn has passed: what became of it, or that nothing ever will.
Duration Projector::Ask(const Open& open) {
  // Where the log has settled it, what the store has of it may be forgotten already, and a tombstone would stay for
  // good.
  bool is_settled = false;
  const bool looked = parts_.source.Read([&](const ControllerState& state, Feed&) {
    const ExtractionKey key = state.extractions().Find(open.extraction_id);
    is_settled = key.value() == 0 || !state.extractions().At(key).open();
  });
  if (!looked) return options_.idle_interval;
  if (is_settled) {
    open_.pop_front();
    return kAtOnce;
  }
  const absl::StatusOr<ExtractResult> result = parts_.store.Cancel({.log_id = log_id_,
                                                                    .controller_epoch = epoch_,
                                                                    .extraction_id = open.extraction_id,
                                                                    .follows = Sequence(open.sequence.value() - 1),
                                                                    .sequence = open.sequence},
                                                                   options_.patience);
  if (!result.ok()) return Stumble(result.status());
  if (result->verdict != Verdict::kDone) return Refused(result->verdict);
  Report(*result, open);
  open_.pop_front();
  return kAtOnce;
}

void Projector::Report(const ExtractResult& result, const Open& open) {
  std::vector<AddressKey> moved;
  for (const Candidate& candidate : result.moved) {
    const auto there = std::find(open.addresses.begin(), open.addresses.end(), candidate.address);
    if (there != open.addresses.end()) moved.push_back(open.keys[std::size_t(there - open.addresses.begin())]);
  }
  // The client may still wait: it is told that nobody answered, not that there was too little.
  if (result.cancelled) parts_.reports.Unanswered(open.extraction_id, "the pool store could not be asked in time");
  parts_.reports.Answered(open.extraction_id, moved, result.cancelled);
}

}  // namespace holdfast::pool
