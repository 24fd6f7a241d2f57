// Sessions of checkers: ids are never used again, only the allowed edges are taken, nobody ends for a silence that was
// not its own, and nobody lives on in a silence that was; contract.md "Checkers".
//
// Called with every committed entry before its events, and with each of them before the models have folded it.
// Thread: one.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tests/simulation/checkers/check_model.h"
#include "tests/simulation/checkers/entry.h"
#include "tests/simulation/checkers/log_model.h"
#include "tests/simulation/checkers/reached.h"
#include "tests/simulation/checkers/violations.h"

namespace holdfast::simulation {

class CheckerSessionChecker {
 public:
  CheckerSessionChecker(const LogModel& model, const CheckModel& checks, Violations& violations, Reached& reached)
      : model_(model), checks_(checks), violations_(violations), reached_(reached) {}

  void BeforeEntry(const Entry& entry);
  void Before(const Entry& entry, const log::v1::Event& event);

 private:
  // Since when nothing was heard of a session, and what of that is not held against it.
  struct Silence {
    std::int64_t heard_at = 0;
    std::int64_t excused = 0;
    bool recovered = false;
  };

  void BeforeOpen(const Entry& entry, const log::v1::CheckerOpened& opened);
  void BeforeAttach(const Entry& entry, const log::v1::CheckerAttached& attached);
  void BeforeClose(const Entry& entry, const log::v1::CheckerClosed& closed);
  void Edge(const Entry& entry, std::uint32_t checker, const std::string& to);
  void Excuse(std::int64_t silence);
  std::int64_t EndOf(const Silence& silence) const;
  void Wrong(const Entry& entry, const std::string& what);

  const LogModel& model_;
  const CheckModel& checks_;
  Violations& violations_;
  Reached& reached_;
  std::set<std::string> used_session_ids_;
  std::map<std::uint32_t, Silence> silences_;  // by checker: of its latest session
};

}  // namespace holdfast::simulation
