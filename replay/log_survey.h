// What a log holds, counted: of each block and each entry, without folding anything.
//
// Called by the info command. Thread: one.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "replay/checked_block.h"

namespace holdfast::replay {

// One run of the controller.
struct ControllerRun {
  Sequence sequence;
  LogTime at;
  std::uint64_t controller_epoch = 0;
  std::uint32_t rules_version = 0;
  std::string software_version;
  bool same_boot = false;
};

class LogSurvey {
 public:
  // Requires: the block is sound and decoded, and inputs that are there were parsed.
  void Add(const CheckedBlock& block);

  std::string log_id;  // 32 hexadecimal digits; empty: no block yet
  Sequence first, last;
  LogTime first_at, last_at;
  std::uint64_t blocks = 0;
  std::uint64_t entries = 0;
  std::uint64_t block_bytes = 0;  // without compression
  std::uint64_t dropped_bodies = 0;
  std::set<std::uint32_t> formats;
  std::set<std::uint32_t> state_versions;
  std::map<std::string, std::uint64_t> inputs;  // by kind
  std::map<std::string, std::uint64_t> events;  // by name
  std::vector<std::string> boots;               // in the order of their first blocks
  std::vector<ControllerRun> runs;
};

}  // namespace holdfast::replay
