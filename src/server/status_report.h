// What GetStatus says, in two parts: what the follower's state knows, and what the log on disk and the process know.
//
// Called first on the follower's thread, then on the reader pool's. Promises: last_sequence, chain_hash and
// state_digest belong to one sequence, the end of a block; counts cost O(1), no row is walked. Figures of the process
// are of now and approximate.

#pragma once

#include <absl/status/status.h>

#include <functional>
#include <string>

#include "holdfast/audit/v1/audit.pb.h"
#include "pool/projector.h"
#include "server/controller_loop.h"

namespace holdfast::server {

// What the daemon knows and the log does not. All functions may be null and are called on any thread.
struct StatusSources {
  std::function<Sequence()> verified_through;        // null: nothing was decided again
  std::function<std::uint64_t()> disk_free_bytes;    // where the log stands; null: not known, shown as 0
  std::function<std::string()> not_serving_because;  // empty: serving; null: serving
  std::function<pool::ProjectorStatus()> pool;       // null: it is not looked after
  std::string pool_backend = "embedded";
  std::string config_hash;  // 32 bytes
  bool insecure = true;     // plaintext, on loopback
};

// Requires: now is log time.
void PutStateStatus(const ControllerState& state, LogTime now, audit::v1::GetStatusResponse* out);

// Adds what the process knows.
void PutProcessStatus(const ControllerLoop& loop, const StatusSources& sources, audit::v1::GetStatusResponse* out);

// Adds what the log knows: its extent, and the chain hash that belongs to last_sequence. Where that is not the end of a
// block, last_sequence, chain_hash and state_digest become those of the block that holds it.
absl::Status PutLogStatus(const EventLog& log, const LoopStatus& loop, audit::v1::GetStatusResponse* out);

}  // namespace holdfast::server
