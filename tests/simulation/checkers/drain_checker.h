// Drains: what was asked back is released only with its proof (an update that shows it DRAINING, an ACK at or above it,
// a later report of zero), or lapses; ownership.md "Drain of an address". Every drain ends, and who accepts nothing for
// drain_grace keeps nothing.
//
// Called with every committed event in order, before and after the model has folded it. Thread: one.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tests/simulation/checkers/entry.h"
#include "tests/simulation/checkers/log_model.h"
#include "tests/simulation/checkers/violations.h"
#include "tests/simulation/checkers/window_checker.h"

namespace holdfast::simulation {

class DrainChecker {
 public:
  DrainChecker(const LogModel& model, const WindowChecker& windows, Violations& violations)
      : model_(model), windows_(windows), violations_(violations) {}

  void OnEntry(const Entry& entry);
  void Before(const Entry& entry, const log::v1::Event& event);
  void After(const Entry& entry, const log::v1::Event& event);

 private:
  struct Shown {
    std::uint32_t worker = 0;
    std::uint64_t epoch = 0;
    std::uint64_t version = 0;
    std::set<std::uint32_t> draining;  // addresses that the content lists as DRAINING alone
  };
  struct Acknowledged {
    std::uint32_t worker = 0;
    std::uint64_t epoch = 0;
    std::uint64_t version = 0;
  };

  void NoteAnswers(const log::v1::Event& event);
  void JudgeProof(const Entry& entry, const log::v1::OwnershipReleased& released);
  void Wrong(const Entry& entry, std::uint32_t address, const std::string& what);

  const LogModel& model_;
  const WindowChecker& windows_;
  Violations& violations_;
  std::map<std::uint64_t, Shown> shown_;                // by the sequence of their issue
  std::map<std::uint64_t, Acknowledged> acknowledged_;  // by the sequence of the ACK
  std::map<std::uint32_t, std::int64_t> deadlines_;     // of what is asked back; 0: none
  // By worker: since when updates wait for a positive answer, without the controller's own silences.
  std::map<std::uint32_t, std::int64_t> unanswered_;
};

}  // namespace holdfast::simulation
