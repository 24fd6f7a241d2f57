// `holdfast-replay snapshot`: exactly what a worker held after one update, with its checksum computed again.
//
// Called by the tool (replay.h) and by tests. Thread: the caller's, with helpers of its own.

#pragma once

#include <string>

#include "base/ids.h"
#include "events/event_log.h"
#include "replay/environment.h"
#include "replay/replay_exit.h"

namespace holdfast::replay {

struct SnapshotCommand {
  std::string worker_id = {};
  Version version;
  bool json = false;  // protobuf's JSON mapping of controlplane.v1.WorkerSnapshot
};

// FoundWanting: the checksum in the log is not that of the content. CouldNotRun: this version was never issued to it.
ReplayExit RunSnapshot(const EventLog& log, const SnapshotCommand& command, const Environment& environment);

}  // namespace holdfast::replay
