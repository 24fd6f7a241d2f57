// A whole log, verified: blocks, decisions, digests, invariants, and the rows of ownership_periods.
//
// Called by the verify command, benchmarks and tests. Thread: the caller's, with helpers of its own while it runs.

#pragma once

#include <absl/status/statusor.h>

#include <optional>

#include "events/event_log.h"
#include "replay/environment.h"
#include "replay/finding.h"
#include "replay/verify_tally.h"

namespace holdfast::replay {

struct VerifyOptions {
  Sequence from{1};  // entries before are folded only
  int jobs = 3;      // threads, 1 to 3
};

struct VerifyReport {
  VerifyTally tally;
  std::optional<Finding> finding;  // nullopt: sound
  std::string software_version;    // that wrote its last run
};

// A Status: it could not be verified to its end, and nothing was found wrong up to there.
absl::StatusOr<VerifyReport> VerifyLog(const EventLog& log, const VerifyOptions& options,
                                       const Environment& environment);

}  // namespace holdfast::replay
