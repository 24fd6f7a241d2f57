#include "pool/embedded_store.h"

#include <utility>

#include "pool/check.h"

namespace holdfast::pool {

Verdict EmbeddedStore::Admit(const LogId& log_id, ControllerEpoch epoch) const {
  if (position_.condition == Position::Condition::kEmpty) return Verdict::kEmpty;
  if (position_.log_id != log_id) return Verdict::kOtherLog;
  if (epoch < position_.controller_epoch) return Verdict::kStaleEpoch;
  return position_.condition == Position::Condition::kResyncing ? Verdict::kResyncing : Verdict::kDone;
}

Verdict EmbeddedStore::InTurn(Sequence follows) const {
  if (position_.applied_seq == follows) return Verdict::kDone;
  return position_.applied_seq < follows ? Verdict::kBehind : Verdict::kAhead;
}

void EmbeddedStore::Advance(ControllerEpoch epoch, Sequence applied) {
  position_.controller_epoch = epoch;
  position_.applied_seq = applied;
  parts_upto_ = Sequence(0);
  parts_done_ = 0;
}

absl::StatusOr<ApplyResult> EmbeddedStore::Apply(std::span<const Batch> batches, Duration) {
  for (const Batch& batch : batches) {
    if (absl::Status status = CheckBatch(batch); !status.ok()) return status;
  }
  ApplyResult result;
  for (const Batch& batch : batches) {
    result.verdict = ApplyOne(batch, result.counts);
    if (result.verdict == Verdict::kRepeat) {
      ++result.repeats;
      result.verdict = Verdict::kDone;
    }
    if (result.verdict != Verdict::kDone) break;
    ++result.finished;
  }
  result.position = position_;
  return result;
}

Verdict EmbeddedStore::ApplyOne(const Batch& batch, RowCounts& counts) {
  if (const Verdict admitted = Admit(batch.log_id, batch.controller_epoch); admitted != Verdict::kDone) return admitted;
  if (batch.upto <= position_.applied_seq) return Verdict::kRepeat;
  if (const Verdict turn = InTurn(batch.follows); turn != Verdict::kDone) return turn;
  const std::uint32_t done = parts_upto_ == batch.upto ? parts_done_ : 0;
  if (batch.part > done) return Verdict::kMissingPart;
  for (const Write& write : batch.writes) rows_.Put(write, counts);
  if (batch.last_part) {
    Advance(batch.controller_epoch, batch.upto);
    Settle(batch);
  } else {
    position_.controller_epoch = batch.controller_epoch;
    parts_upto_ = batch.upto;
    parts_done_ = batch.part + 1;
  }
  return Verdict::kDone;
}

void EmbeddedStore::Settle(const Batch& batch) {
  for (const Settled& settled : batch.settled) settling_.insert_or_assign(settled.extraction_id, settled.entry);
  for (auto settled = settling_.begin(); settled != settling_.end();) {
    if (settled->second < position_.applied_seq) {
      answers_.erase(settled->first);
      settled = settling_.erase(settled);
    } else {
      ++settled;
    }
  }
}

absl::StatusOr<ExtractResult> EmbeddedStore::Extract(const ExtractRequest& request, Duration) {
  if (absl::Status status = CheckExtract(request); !status.ok()) return status;
  const Verdict admitted = Admit(request.log_id, request.controller_epoch);
  if (admitted != Verdict::kDone) return ExtractResult{.verdict = admitted, .moved = {}, .position = position_};
  const auto recorded = answers_.find(request.extraction_id);
  if (recorded != answers_.end()) return Tell(recorded->second);
  const Verdict turn = InTurn(request.follows);
  if (turn != Verdict::kDone) return ExtractResult{.verdict = turn, .moved = {}, .position = position_};
  Answer& answer = answers_[request.extraction_id];
  answer.moved = Move(request);
  Advance(request.controller_epoch, request.sequence);
  return Tell(answer);
}

std::vector<Candidate> EmbeddedStore::Move(const ExtractRequest& request) {
  std::vector<Candidate> moved;
  for (const Candidate& candidate : request.candidates) {
    if (moved.size() == request.need) break;
    if (rows_.MayExtract(candidate.address)) moved.push_back(candidate);
  }
  if (request.all_or_nothing && moved.size() < request.need) moved.clear();
  for (const Candidate& candidate : moved) rows_.Extract(candidate.address, request);
  return moved;
}

absl::StatusOr<ExtractResult> EmbeddedStore::Cancel(const CancelRequest& request, Duration) {
  if (absl::Status status = CheckCancel(request); !status.ok()) return status;
  const Verdict admitted = Admit(request.log_id, request.controller_epoch);
  if (admitted != Verdict::kDone) return ExtractResult{.verdict = admitted, .moved = {}, .position = position_};
  const auto recorded = answers_.find(request.extraction_id);
  if (recorded != answers_.end()) return Tell(recorded->second);
  if (position_.applied_seq < request.sequence) {
    const Verdict turn = InTurn(request.follows);
    if (turn != Verdict::kDone) return ExtractResult{.verdict = turn, .moved = {}, .position = position_};
    Advance(request.controller_epoch, request.sequence);
  }
  Answer& answer = answers_[request.extraction_id];
  answer.cancelled = true;
  return Tell(answer);
}

ExtractResult EmbeddedStore::Tell(const Answer& answer) const {
  return {.cancelled = answer.cancelled, .moved = answer.moved, .position = position_};
}

absl::StatusOr<ResyncResult> EmbeddedStore::BeginResync(const ResyncStart& start, Duration) {
  if (absl::Status status = CheckStart(start); !status.ok()) return status;
  if (position_.condition != Position::Condition::kEmpty && !start.adopt) {
    const Verdict admitted = Admit(start.log_id, start.controller_epoch);
    if (admitted == Verdict::kOtherLog || admitted == Verdict::kStaleEpoch) return ResyncResult{admitted, position_};
  }
  position_ = {.condition = Position::Condition::kResyncing,
               .log_id = start.log_id,
               .controller_epoch = start.controller_epoch,
               .applied_seq = Sequence(0)};
  parts_upto_ = Sequence(0);
  parts_done_ = 0;
  resync_.Begin();
  return ResyncResult{Verdict::kDone, position_};
}

absl::StatusOr<ClearProgress> EmbeddedStore::ClearSome(Duration) {
  if (absl::Status status = resync_.MayClear(); !status.ok()) return status;
  answers_.clear();
  settling_.clear();
  const std::size_t removed = rows_.Clear(kMaxKeys);
  const bool finished = removed < kMaxKeys;
  if (finished) resync_.Cleared();
  return ClearProgress{.removed = removed, .finished = finished, .position = position_};
}

absl::StatusOr<ResyncResult> EmbeddedStore::WriteResync(std::span<const Write> rows, Duration) {
  if (absl::Status status = resync_.MayWrite(); !status.ok()) return status;
  if (absl::Status status = CheckRows(rows); !status.ok()) return status;
  resync_.Written();
  RowCounts counts;
  for (const Write& row : rows) rows_.Put(row, counts);
  return ResyncResult{Verdict::kDone, position_};
}

absl::StatusOr<ResyncResult> EmbeddedStore::FinishResync(Sequence applied_seq, Duration) {
  if (absl::Status status = resync_.MayWrite(); !status.ok()) return status;
  resync_.End();
  position_.condition = Position::Condition::kReady;
  position_.applied_seq = applied_seq;
  return ResyncResult{Verdict::kDone, position_};
}

absl::StatusOr<ScanSlice> EmbeddedStore::Scan(const ScanRequest& request, Duration) {
  if (absl::Status status = CheckScan(request); !status.ok()) return status;
  return rows_.Scan(request);
}

}  // namespace holdfast::pool
