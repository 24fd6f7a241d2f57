// Sessions and versions: ids are never used again, epochs grow, only the allowed edges are taken, nobody ends for a
// silence that was not his, versions grow by one; ownership.md "What must hold", 3, "Time and recovery".
//
// Called with every committed event in order, before the model folds it. Thread: one.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tests/simulation/checkers/entry.h"
#include "tests/simulation/checkers/log_model.h"
#include "tests/simulation/checkers/reached.h"
#include "tests/simulation/checkers/violations.h"

namespace holdfast::simulation {

class SessionChecker {
 public:
  SessionChecker(const LogModel& model, Violations& violations, Reached& reached)
      : model_(model), violations_(violations), reached_(reached) {}

  void Before(const Entry& entry, const log::v1::Event& event);

 private:
  // Since when nothing was heard of a session, and what of that is not held against it.
  struct Silence {
    std::int64_t heard_at = 0;
    std::int64_t excused = 0;
    bool recovered = false;
  };

  void BeforeOpen(const Entry& entry, const log::v1::SessionOpened& opened);
  void BeforeClose(const Entry& entry, const log::v1::SessionClosed& closed);
  void BeforeIssue(const Entry& entry, const log::v1::SnapshotIssued& issued);
  void Edge(const Entry& entry, std::uint32_t worker, controlplane::v1::SessionState to);
  void Hear(const Entry& entry, const log::v1::Event& event);
  void Excuse(std::int64_t silence);
  // The log clock was moved: no silence is longer for it.
  void BeforeClock(const log::v1::Event& event);
  void Wrong(const Entry& entry, const std::string& what);

  const LogModel& model_;
  Violations& violations_;
  Reached& reached_;
  std::set<std::string> used_session_ids_;
  std::map<std::uint32_t, Silence> silences_;  // by worker: of its latest session
};

}  // namespace holdfast::simulation
