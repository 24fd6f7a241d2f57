// An oracle written from docs/extraction.md: it says of every call of a client, and of every adoption of the pool
// store, whether it is accepted, or else with which reason it is refused; and how many machines there are for it.
//
// Called with every committed entry in order, before the models have folded its events. It counts what fits by looking
// at every machine. Thread: one. What becomes of an intent: checkers/extraction_checker.h.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/simulation/checkers/check_model.h"
#include "tests/simulation/checkers/entry.h"
#include "tests/simulation/checkers/extraction_model.h"
#include "tests/simulation/checkers/log_model.h"
#include "tests/simulation/checkers/reached.h"
#include "tests/simulation/checkers/violations.h"

namespace holdfast::simulation {

class ExtractionOracle {
 public:
  ExtractionOracle(const LogModel& model, const CheckModel& checks, const ExtractionModel& extractions,
                   Violations& violations, Reached& reached)
      : model_(model), checks_(checks), extractions_(extractions), violations_(violations), reached_(reached) {}

  void OnEntry(const Entry& entry);

  std::uint64_t predictions() const { return predictions_; }

 private:
  using Reason = std::optional<controlplane::v1::RejectReason>;  // nullopt: accepted

  Reason PredictExtract(const Entry& entry, const distribution::v1::ExtractRequest& request) const;
  Reason PredictRelease(const distribution::v1::ReleaseRequest& request) const;
  // Machines that nobody has and of which some proxy fits.
  std::uint64_t CountFitting(const Entry& entry, const distribution::v1::ExtractRequest& request) const;
  bool Fits(const Entry& entry, const distribution::v1::ExtractRequest& request, std::uint32_t proxy) const;
  void JudgeIntent(const Entry& entry, const log::v1::ExtractionPrepared& prepared);
  void Wrong(const Entry& entry, const std::string& what);

  const LogModel& model_;
  const CheckModel& checks_;
  const ExtractionModel& extractions_;
  Violations& violations_;
  Reached& reached_;
  std::uint64_t predictions_ = 0;
};

}  // namespace holdfast::simulation
