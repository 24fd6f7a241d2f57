// Where handlers leave commands for the sequencer's thread: bounded in bytes, with a share for each peer, and with an
// order in which calls are shed when it fills. Acknowledgements and the controller's own inputs are never shed.
//
// Thread: Push from any; Take, and Wait of the driver, from the sequencer's.

#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "controller/command.h"

namespace holdfast::server {

// In the order in which they are shed, first to last.
enum class CallClass : std::uint8_t {
  kOutcomes,
  kObservations,
  kRead,
  kImport,
  kExtract,
  kRuntime,
  kRegister,
  kRelease,  // of an extraction
  kOperator,
  kNeverShed
};
inline constexpr std::size_t kCallClasses = static_cast<std::size_t>(CallClass::kNeverShed) + 1;

class CommandQueue {
 public:
  // share: the part of `bytes` that one peer may fill, above 0 and at most 1.
  CommandQueue(std::size_t bytes, double share);

  // False: shed, the command is untouched; the caller answers OVERLOADED with a retry_after.
  bool Push(Command& command, CallClass call_class);

  // Everything that waits, oldest first.
  std::vector<Command> Take();
  bool empty() const;
  std::size_t bytes() const;  // that wait
  std::uint64_t shed(CallClass call_class) const;

 private:
  const std::size_t limit_;
  const std::size_t peer_limit_;
  mutable std::mutex mutex_;
  std::vector<Command> waiting_;
  std::size_t bytes_ = 0;
  absl::flat_hash_map<std::string, std::size_t> peer_bytes_;  // looked up only
  std::uint64_t shed_[kCallClasses] = {};
};

}  // namespace holdfast::server
