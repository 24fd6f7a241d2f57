// Cuts a batch into parts that one call can carry.
//
// Called by the projector. Thread: a pure function. Promises: the parts in order are the batch; each is within
// kMaxKeys; a batch that fits stays as it is. Requires: a batch that is a whole one (part 0, last), and settles no more
// extractions than one call has keys.

#pragma once

#include <vector>

#include "pool/pool_store.h"

namespace holdfast::pool {

std::vector<Batch> SplitBatch(Batch batch);

}  // namespace holdfast::pool
