#include "projections/pool_store.h"

namespace holdfast {

void PoolStore::Apply(const ControllerStarted&, const EntryPoint&) {
  if (!must_be_adopted()) verdict_ = PoolStoreVerdict::kUnspecified;
}

void PoolStore::Apply(const PoolStoreJudged& event, const EntryPoint&) {
  verdict_ = event.verdict;
  log_id_ = event.log_id;
  applied_sequence_ = event.applied_sequence;
}

void PoolStore::Apply(const PoolResynced& event, const EntryPoint&) {
  verdict_ = PoolStoreVerdict::kUsable;
  applied_sequence_ = event.applied_sequence;
}

void PoolStore::Apply(const PoolAdopted&, const EntryPoint&) { verdict_ = PoolStoreVerdict::kBehind; }

Digest PoolStore::digest() const {
  RowHasher row(20);
  row.Number(static_cast<std::uint64_t>(verdict_)).Text(log_id_).Number(applied_sequence_.value());
  return row.Finish();
}

}  // namespace holdfast
