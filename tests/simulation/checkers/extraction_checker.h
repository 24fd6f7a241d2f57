// Extraction: a client is given only what nobody has and is AVAILABLE, by an answer that the store truly gave, and
// never once it was told otherwise; everything that was asked for ends within its bound, and comes back. ownership.md
// "Extraction" and "What must hold", 2 and 6; docs/extraction.md.
//
// Called with every committed event before the models have folded it, with what the simulated store truly moves, and
// with each answer that leaves for a client. Thread: one. Who really uses what: use_checker.h; which calls are refused:
// oracle/extraction_oracle.h; what the store shows at rest: store_checker.h.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/checkers/extraction_model.h"
#include "tests/simulation/checkers/log_model.h"
#include "tests/simulation/checkers/violations.h"
#include "tests/simulation/checkers/window_checker.h"

namespace holdfast::simulation {

class ExtractionChecker {
 public:
  ExtractionChecker(const LogModel& model, const ExtractionModel& extractions, const WindowChecker& windows,
                    Violations& violations)
      : model_(model), extractions_(extractions), windows_(windows), violations_(violations) {}

  void OnEntry(const Entry& entry);
  void Before(const Entry& entry, const log::v1::Event& event);

  // The store answers to this id that it has moved these; is_new: just now.
  void StoreMoved(const std::string& extraction_id, const std::vector<std::string>& addresses, bool is_new);
  // … that it never will.
  void StoreCancelled(const std::string& extraction_id) { cancelled_.insert(extraction_id); }
  // Another store, or another copy of it, is in its place: what it answered before says nothing of it.
  void StoreReplaced() { cancelled_.clear(); }
  // An answer with proxies leaves for a client.
  void Told(const distribution::v1::ExtractRequest& request, const distribution::v1::ExtractResponse& response);

  std::uint64_t extracted() const { return extracted_; }
  std::uint64_t answers() const { return answers_; }

 private:
  void BeforePrepared(const Entry& entry, const log::v1::ExtractionPrepared& prepared);
  void JudgeCandidates(const Entry& entry, const log::v1::ExtractionPrepared& prepared);
  void BeforeDoubted(const Entry& entry, const log::v1::ExtractionDoubted& doubted);
  void BeforeExtracted(const Entry& entry, const log::v1::ProxiesExtracted& extracted);
  void JudgeEnd(const Entry& entry, const ModelExtraction& extraction, const log::v1::ProxiesExtracted& extracted);
  void BeforeGivenBack(const Entry& entry, const log::v1::ExtractionGivenBack& given_back);
  void BeforeEnded(const Entry& entry, const log::v1::ExtractionEnded& ended);
  void BeforeForgotten(const Entry& entry, const log::v1::RequestForgotten& forgotten);
  void JudgeFreed(const Entry& entry, const ModelExtraction& extraction, const log::v1::ExtractionEnded& ended);
  void Wrong(const Entry& entry, const std::string& extraction_id, const std::string& what);

  const LogModel& model_;
  const ExtractionModel& extractions_;
  const WindowChecker& windows_;
  Violations& violations_;
  std::map<std::string, std::set<std::string>> moved_;  // by extraction id: what the store says that it has moved
  std::map<std::pair<std::string, std::string>, std::string> told_;  // by client and request, while it stands
  std::set<std::string> cancelled_;       // ids of which the store has said that it never moves anything
  std::set<std::string> told_otherwise_;  // ids of which the client was told that there is nothing
  std::uint64_t extracted_ = 0;
  std::uint64_t answers_ = 0;
};

}  // namespace holdfast::simulation
