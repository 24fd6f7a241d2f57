// Acknowledged means durable: every answer that left the controller, and every update that went on a wire, stands in
// the log, whatever crashes. Sequences are contiguous and log time does not go back.
//
// Told of answers and updates when they leave, of entries when they are committed, and of each recovery after all that
// survived was read. Thread: one.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "controlplane/v1/controlplane.pb.h"
#include "tests/simulation/checkers/entry.h"
#include "tests/simulation/checkers/log_model.h"
#include "tests/simulation/checkers/violations.h"

namespace holdfast::simulation {

class DurabilityChecker {
 public:
  DurabilityChecker(const LogModel& model, Violations& violations) : model_(model), violations_(violations) {}

  // An answer to an input left for its caller.
  void Answered(const std::string& input_bytes);
  // An update left for a worker.
  void Shown(const std::string& worker_id, const controlplane::v1::SnapshotUpdate& update);

  void OnEntry(const Entry& entry);
  // A controller has recovered, and OnEntry was called for everything that it found; also at the end of a run.
  void Recovered();

 private:
  struct Issue {
    std::string checksum;
    std::int64_t valid_until_us = 0;
    friend bool operator==(const Issue&, const Issue&) = default;
  };
  using UpdateKey = std::pair<std::string, std::uint64_t>;  // worker id, version

  const LogModel& model_;
  Violations& violations_;
  bool start_due_ = true;  // nothing is decided in a run before its start is
  std::uint64_t last_sequence_ = 0;
  std::int64_t last_at_us_ = 0;
  std::map<std::string, std::int64_t> owed_;   // by input: answers given minus entries read; 0 is left out
  std::map<UpdateKey, Issue> shown_unlogged_;  // on a wire, and not yet read from the log
  std::map<UpdateKey, Issue> issued_;
};

}  // namespace holdfast::simulation
