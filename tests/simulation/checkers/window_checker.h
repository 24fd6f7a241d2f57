// Windows: until when which process may still be using which address, kept from the events alone; ownership.md
// "Windows" and "What must hold", 1 and 6.
//
// Finds: two windows of one address that overlap, a grant or an end of a hold that comes too early, a window that
// shrinks, a hold that outlives its window, an address forgotten while somebody may be using it, an update that lists
// what its worker does not hold. Called with every committed event in order, before and after the model has folded it.
// Thread: one.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "tests/simulation/checkers/entry.h"
#include "tests/simulation/checkers/log_model.h"
#include "tests/simulation/checkers/violations.h"

namespace holdfast::simulation {

class WindowChecker {
 public:
  WindowChecker(const LogModel& model, Violations& violations) : model_(model), violations_(violations) {}

  void OnEntry(const Entry& entry);
  void Before(const Entry& entry, const log::v1::Event& event);
  // The end of the latest window of an address but that of one process; 0: none.
  std::int64_t LatestOfOthers(std::uint32_t address, std::uint32_t worker, std::uint64_t epoch) const {
    return LatestWindow(address, {worker, epoch});
  }
  void After(const Entry& entry, const log::v1::Event& event);

 private:
  using Process = std::pair<std::uint32_t, std::uint64_t>;  // worker, epoch

  void BeforeGrant(const Entry& entry, const log::v1::OwnershipGranted& granted);
  void BeforeLapse(const Entry& entry, const log::v1::OwnershipLapsing& lapsing);
  void BeforeResume(const Entry& entry, const log::v1::OwnershipResumed& resumed);
  void BeforeRelease(const Entry& entry, const log::v1::OwnershipReleased& released);
  void BeforeDrain(const Entry& entry, const log::v1::Event& event);
  void BeforeRetire(const Entry& entry, std::uint32_t address);
  void AfterIssue(const Entry& entry, const log::v1::SnapshotIssued& issued);
  void Extend(const Entry& entry, std::uint32_t address, const Process& process, std::int64_t until);
  // The end of the latest window of an address but those of `except`; 0: none.
  std::int64_t LatestWindow(std::uint32_t address, const Process& except) const;
  void Wrong(const Entry& entry, std::uint32_t address, const std::string& what);
  void ShiftAll(std::int64_t by);

  const LogModel& model_;
  Violations& violations_;
  std::map<std::uint32_t, std::map<Process, std::int64_t>> windows_;  // by address: until when, log time
  // Of those that gave it back by a proof: it uses nothing, but given it again it goes by the latest of its views.
  std::map<std::uint32_t, std::map<Process, std::int64_t>> given_back_;
  std::map<std::uint32_t, std::int64_t> owned_until_;  // as the log says it
};

}  // namespace holdfast::simulation
