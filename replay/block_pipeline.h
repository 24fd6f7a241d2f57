// Reads a log from some block to its end as it was at the beginning, with the chain checked and the entries decoded,
// and hands the blocks in order to whoever folds or judges them.
//
//   reader: read, chain, hashes ─► decoder: events, inputs ─► the caller's thread: `each`       (jobs: 1 to 3 threads)
//
// Called by the commands. Thread: RunPipeline returns when its threads have ended. Promises: `each` is called on the
// calling thread, in order, for every block until it says false; a damaged block is handed over as such and is the last
// one. Does not: wait for a writer, change the log.

#pragma once

#include <absl/status/status.h>

#include <functional>

#include "events/event_log.h"
#include "replay/checked_block.h"

namespace holdfast::replay {

struct PipelineOptions {
  Sequence from{1};         // the block that holds it is the first; above 1, the chain is believed up to there
  Sequence inputs_from{1};  // inputs before are not parsed
  int jobs = 3;             // threads, the caller's among them; what is above 3 counts as 3
  std::function<bool()> is_interrupted;  // asked now and then; may be null
};

// A Status: the log could not be read (what is wrong with a block is told to `each`); Cancelled: interrupted.
absl::Status RunPipeline(const EventLog& log, const PipelineOptions& options,
                         const std::function<bool(const CheckedBlock&)>& each);

}  // namespace holdfast::replay
