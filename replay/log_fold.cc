#include "replay/log_fold.h"

#include <absl/strings/str_cat.h>

#include <limits>

#include "base/check.h"
#include "replay/block_pipeline.h"
#include "replay/progress.h"
#include "replay/verifier.h"

namespace holdfast::replay {
namespace {

class Fold {
 public:
  Fold(const FoldHooks& hooks, ControllerState& state) : hooks_(hooks), state_(state) {}

  // False: it ends here, for good or with status().
  bool Block(const CheckedBlock& block) {
    status_ = block.chain;
    if (!status_.ok()) return false;
    for (std::size_t i = 0; i < block.entries.size(); ++i) {
      if (!Entry(block.view.entries()[i], block.entries[i].events)) return false;
    }
    status_ = WithWriter(AsDamage(block.decoding), state_.run().software_version());
    if (status_.ok()) CompareDigest(block.view);
    return status_.ok();
  }
  const absl::Status& status() const { return status_; }

 private:
  // Bytes whose hashes fit and that are no event all the same.
  static absl::Status AsDamage(const absl::Status& status) {
    return status.code() == absl::StatusCode::kInvalidArgument ? absl::DataLossError(status.message()) : status;
  }

  bool Entry(const EntryView& entry, const std::vector<Event>& events) {
    if (hooks_.before && !hooks_.before(entry)) return false;
    const ScopedCheckSequence check(entry.sequence.value());
    const EntryPoint point{entry.sequence, entry.at};
    for (const Event& event : events) {
      state_.Apply(event, point);
      if (hooks_.after && !hooks_.after(entry, event)) return false;
    }
    state_.Passed(point);
    const std::vector<OwnershipPeriod> ended = state_.TakeEndedPeriods();
    if (hooks_.ended && !ended.empty()) hooks_.ended(ended);
    return true;
  }

  void CompareDigest(const BlockView& view) {
    if (view.header().state_version != ControllerState::Version()) return;
    if (view.header().state_digest == state_.StateDigest()) return;
    status_ = absl::DataLossError(absl::StrCat("the state folded up to sequence ", view.last().value(),
                                               " is not the one that the log was written from; see what differs with "
                                               "`holdfast-replay verify DIR`"));
  }

  const FoldHooks& hooks_;
  ControllerState& state_;
  absl::Status status_;
};

}  // namespace

absl::Status FoldLog(const EventLog& log, const Environment& environment, const FoldHooks& hooks,
                     ControllerState& state) {
  Fold fold(hooks, state);
  Progress progress(environment, "folding", log.Tip());
  PipelineOptions options;
  options.inputs_from = Sequence(std::numeric_limits<std::uint64_t>::max());
  options.jobs = hooks.jobs;
  options.is_interrupted = environment.is_interrupted;
  const absl::Status read = RunPipeline(log, options, [&](const CheckedBlock& block) {
    progress.At(block.first);
    return fold.Block(block);
  });
  return fold.status().ok() ? read : fold.status();
}

}  // namespace holdfast::replay
