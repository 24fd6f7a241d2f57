#include "pool/pool_store.h"

#include <utility>

namespace holdfast::pool {
namespace {

// One call after the other, each counted into the result; a status of its own where it has one.
struct OneByOne {
  PoolStore& store;
  const Duration patience;
  RunResult& result;

  absl::Status operator()(const Batch& batch) const {
    const absl::StatusOr<ApplyResult> applied = store.Apply({&batch, 1}, patience);
    if (!applied.ok()) return applied.status();
    result.verdict = applied->verdict;
    result.position = applied->position;
    result.repeats += applied->repeats;
    result.counts += applied->counts;
    return absl::OkStatus();
  }
  absl::Status operator()(const ExtractRequest& request) const { return Take(store.Extract(request, patience)); }
  absl::Status operator()(const CancelRequest& request) const { return Take(store.Cancel(request, patience)); }

  absl::Status Take(absl::StatusOr<ExtractResult> answer) const {
    if (!answer.ok()) return answer.status();
    result.verdict = answer->verdict;
    result.position = answer->position;
    if (answer->verdict == Verdict::kDone) result.answers.push_back(*std::move(answer));
    return absl::OkStatus();
  }
};

}  // namespace

absl::StatusOr<RunResult> PoolStore::Run(std::span<const Call> calls, Duration patience) {
  RunResult result;
  for (const Call& call : calls) {
    if (absl::Status status = std::visit(OneByOne{*this, patience, result}, call); !status.ok()) return status;
    if (result.verdict != Verdict::kDone) break;
    ++result.finished;
  }
  return result;
}

}  // namespace holdfast::pool
