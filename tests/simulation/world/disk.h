// The controller's disk: the log in memory, with blocks that are on their way until their sync is done, and with
// accidents.
//
//   Begin(block) ─► written, not synced ─► Finish ─► synced          Crash in between: torn off, or there all the same
//
// Thread: one. One block at a time is on its way, as in the daemon.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "controller/sequencer.h"
#include "events/memory_log.h"
#include "tests/simulation/world/world.h"

namespace holdfast::simulation {

class Disk {
 public:
  explicit Disk(World& world) : world_(world) { log_.SetSyncOnAppend(false); }

  void Begin(const SealedBlock& block);
  // OK: it is synced.
  absl::Status Finish();
  void Crash();

  const MemoryLog& log() const { return log_; }
  // Writes all that is synced as a log that the real tools open. `path`: a directory that holds no log.
  absl::Status WriteTo(const std::string& path) const;

 private:
  World& world_;
  MemoryLog log_;
  bool under_way_ = false;
  absl::Status written_;
  std::uint64_t first_ = 0;                                // of the block under way
  std::map<std::uint64_t, std::vector<SideRow>> periods_;  // by the first sequence of their block
};

}  // namespace holdfast::simulation
