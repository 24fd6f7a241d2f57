// What a WorkerClient tells whoever runs it. Every method is called on the scheduler's thread, from within the client:
// it may use the request path, must not destroy the client, and should not take long. Default: nothing.

#pragma once

#include <string>
#include <vector>

#include "base/session_lifecycle.h"
#include "client/call_record.h"
#include "client/snapshot_update.h"
#include "session/session_machine.h"

namespace holdfast::client {

class WorkerObserver {
 public:
  virtual ~WorkerObserver() = default;

  // Every call that ended, also the refused ones, before the client acts on it; a Watch when its stream ended.
  virtual void OnCall(const CallRecord& /*record*/) {}
  virtual void OnState(LifecycleState /*state*/) {}

  // Of these, each once for an answer that was OK.
  virtual void OnRegistered(const controlplane::v1::RegisterWorkerRequest& /*request*/,
                            const controlplane::v1::RegisterWorkerResponse& /*response*/) {}
  virtual void OnAck(const controlplane::v1::AcknowledgeSnapshotRequest& /*request*/,
                     const controlplane::v1::AcknowledgeSnapshotResponse& /*response*/) {}
  virtual void OnReport(const controlplane::v1::ReportRuntimeRequest& /*request*/,
                        const controlplane::v1::ReportRuntimeResponse& /*response*/) {}
  virtual void OnOutcomes(const controlplane::v1::ReportOutcomesRequest& /*request*/,
                          const controlplane::v1::ReportOutcomesResponse& /*response*/) {}

  virtual void OnWatch(const controlplane::v1::WatchSnapshotsRequest& /*request*/) {}
  // An update came on the newest stream; before it is judged.
  virtual void OnUpdate(const controlplane::v1::SnapshotUpdate& /*update*/) {}
  // Closed bits are set and the view is swapped; the ACK is not sent yet.
  virtual void OnUpdateTaken(const UpdateTaken& /*taken*/) {}
  virtual void OnUpdateRefused(const UpdateRefused& /*refused*/) {}

  // Everything that runs through these proxies must end now: their windows are over, or they are HELD.
  virtual void OnCut(const std::vector<std::string>& /*proxy_ids*/) {}
  // The last word of this client: why it ended.
  virtual void OnFinished(session::SessionEnd /*end*/, const std::string& /*why*/) {}
};

}  // namespace holdfast::client
