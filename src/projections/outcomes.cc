#include "projections/outcomes.h"

#include "base/check.h"

namespace holdfast {
namespace {

Digest HashOf(WorkerKey worker, const OutcomeRow& row) {
  RowHasher hash(9);
  hash.Number(worker.value()).Number(row.sequence).Number(row.counted).Number(row.ignored).Number(row.dropped_total);
  return hash.Finish();
}

}  // namespace

void Outcomes::Apply(const SessionOpened& event, const EntryPoint&) {
  if (workers_.Find(event.worker) == nullptr) {
    digest_.Add(HashOf(event.worker, workers_.Insert(event.worker, OutcomeRow{})));
  }
  OutcomeRow& row = workers_.At(event.worker);
  digest_.Remove(HashOf(event.worker, row));
  row.dropped_total = 0;
  digest_.Add(HashOf(event.worker, row));
}

void Outcomes::Apply(const OutcomesAccepted& event, const EntryPoint&) {
  OutcomeRow& row = workers_.At(event.worker);
  HOLDFAST_CHECK(event.sequence > row.sequence);
  digest_.Remove(HashOf(event.worker, row));
  row.sequence = event.sequence;
  row.counted += event.counted;
  row.ignored += event.ignored;
  row.dropped_total = event.dropped_total;
  digest_.Add(HashOf(event.worker, row));
}

}  // namespace holdfast
