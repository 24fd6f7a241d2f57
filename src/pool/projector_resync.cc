// The projector writes the store anew: takes it over, empties it, walks over the state slice by slice while that moves
// on, and says up to where it came.

#include <algorithm>
#include <utility>

#include "pool/projector.h"
#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

constexpr Duration kAtOnce{0};

}  // namespace

Duration Projector::Write() {
  switch (stage_) {
    case Stage::kBegin:
      return BeginWriting();
    case Stage::kClear:
      return Clear();
    case Stage::kWalk:
      return WriteSlice();
    default:
      return FinishWriting();
  }
}

// nullopt: go on. A step that may have been done is safe to do again; where the resync is over there, all is begun
// again.
std::optional<Duration> Projector::Failed(const absl::Status& status, Verdict verdict) {
  if (!status.ok()) {
    status_.trouble = std::string(status.message());
    if (TroubleOf(status) == Trouble::kUnreachable || IsInDoubt(status)) return options_.meet_interval;
    return Stumble(status);
  }
  if (verdict != Verdict::kDone) return Refused(verdict);
  status_.trouble.clear();
  return std::nullopt;
}

// What was noted and taken before is of no more use from here on, and not sooner: a call that comes to nothing leaves
// all as it was.
Duration Projector::BeginWriting() {
  const bool looked = parts_.source.Read([&](const ControllerState& state, Feed&) {
    log_id_ = state.run().log_id();
    epoch_ = ControllerEpoch(state.run().controller_epoch());
  });
  if (!looked) return options_.idle_interval;
  const absl::StatusOr<ResyncResult> begun = parts_.store.BeginResync(
      {.log_id = log_id_, .controller_epoch = epoch_, .adopt = adopt_}, options_.resync_patience);
  if (const auto wait = Failed(begun.status(), begun.ok() ? begun->verdict : Verdict::kDone)) return *wait;
  if (!parts_.source.Read([](const ControllerState& state, Feed& feed) { feed.Restart(state); })) {
    return options_.idle_interval;
  }
  rebuild_ = false;
  pending_.clear();
  open_.clear();
  place_ = WalkPlace();
  rows_.clear();
  rows_written_ = true;
  status_.written = 0;
  status_.waiting = 0;
  status_.waiting_since = parts_.now();
  stage_ = Stage::kClear;
  return kAtOnce;
}

Duration Projector::Clear() {
  const absl::StatusOr<ClearProgress> progress = parts_.store.ClearSome(options_.resync_patience);
  if (const auto wait = Failed(progress.status(), progress.ok() ? progress->verdict : Verdict::kDone)) return *wait;
  if (progress->finished) stage_ = Stage::kWalk;
  return kAtOnce;
}

Duration Projector::WriteSlice() {
  if (std::exchange(rows_written_, false)) {
    bool is_lost = false;
    const bool looked = parts_.source.Read([&](const ControllerState& state, Feed& feed) {
      is_lost = feed.lost();
      if (is_lost) return;
      status_.waiting = feed.waiting();
      const bool was_finished = place_.finished;
      rows_ = feed.Walk(state, place_, options_.slice_rows);
      upto_ = feed.base();
      // Few enough to be the last: what changes from now on goes in turns.
      if (!was_finished || rows_.size() >= options_.slice_rows) return;
      stage_ = Stage::kFinish;
      FindOpen(state, upto_);
    });
    if (!looked || is_lost) {
      stage_ = Stage::kBegin;
      return looked ? kAtOnce : options_.idle_interval;
    }
  }
  if (!rows_.empty()) {
    const absl::StatusOr<ResyncResult> written = parts_.store.WriteResync(rows_, options_.resync_patience);
    if (const auto wait = Failed(written.status(), written.ok() ? written->verdict : Verdict::kDone)) return *wait;
  }
  status_.written += rows_.size();
  rows_written_ = true;
  return kAtOnce;
}

Duration Projector::FinishWriting() {
  if (!rows_written_) return WriteSlice();
  const absl::StatusOr<ResyncResult> finished = parts_.store.FinishResync(upto_, options_.resync_patience);
  if (const auto wait = Failed(finished.status(), finished.ok() ? finished->verdict : Verdict::kDone)) return *wait;
  status_.applied = upto_;
  ++status_.resyncs;
  adopt_ = false;
  refusals_ = 0;
  parts_.reports.StoreWritten(upto_, place_.proxies);
  Enter(ProjectorPhase::kReady);
  return kAtOnce;
}

}  // namespace holdfast::pool
