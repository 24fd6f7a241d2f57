#include "replay/verify_log.h"

#include <utility>

#include "replay/block_pipeline.h"
#include "replay/period_check.h"
#include "replay/progress.h"
#include "replay/verifier.h"

namespace holdfast::replay {

absl::StatusOr<VerifyReport> VerifyLog(const EventLog& log, const VerifyOptions& options,
                                       const Environment& environment) {
  Verifier verifier({.decide_from = options.from});
  PeriodCheck periods;
  VerifyReport report;
  absl::Status judged;
  Progress progress(environment, "verifying", log.Tip());
  PipelineOptions pipeline;
  pipeline.inputs_from = options.from;
  pipeline.jobs = options.jobs;
  pipeline.is_interrupted = environment.is_interrupted;
  const absl::Status read = RunPipeline(log, pipeline, [&](const CheckedBlock& block) {
    progress.At(block.first);
    absl::StatusOr<Verdict> verdict = verifier.Judge(block);
    judged = verdict.status();
    if (!judged.ok()) return false;
    periods.Expect(verdict->ended);
    report.finding = std::move(verdict->finding);
    return !report.finding.has_value();
  });
  if (!judged.ok()) return judged;
  if (!read.ok()) return read;
  report.tally = verifier.tally();
  report.software_version = verifier.written_by();
  if (report.finding) return report;
  absl::StatusOr<std::optional<Finding>> rows = periods.Compare(log, report.tally.last);
  if (!rows.ok()) return rows.status();
  report.finding = *std::move(rows);
  report.tally.ownership_periods = periods.rows();
  return report;
}

}  // namespace holdfast::replay
