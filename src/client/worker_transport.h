// The calls of WorkerControlPlane as a worker makes them, without saying over what.
//
// Called on the scheduler's thread; every callback comes on that thread, never from inside the call that asked for it,
// and exactly once. After the transport (or the stream) is destroyed no callback of it comes any more.
// Implementations: GrpcWorkerTransport; tests and simulations put their own in its place or around it.

#pragma once

#include <functional>
#include <memory>

#include "client/call_result.h"
#include "client/client_time.h"
#include "controlplane/v1/controlplane.pb.h"

namespace holdfast::client {

// One Watch. Destroying it cancels it.
class SnapshotStream {
 public:
  virtual ~SnapshotStream() = default;
  // Asks for the next update; one at a time. The first read is under way from the start.
  virtual void ReadNext() = 0;
};

class WorkerTransport {
 public:
  template <class Response>
  using Done = std::function<void(const CallResult& result, const Response& response)>;

  struct StreamEvents {
    std::function<void(const controlplane::v1::SnapshotUpdate& update)> on_update;
    std::function<void(const CallResult& result)> on_end;  // the last event
  };

  virtual ~WorkerTransport() = default;

  // A new session is about to be opened: a chance to look for the controller's address again.
  virtual void Reconnect() {}

  // `deadline` is from now; over it the result is kDeadlineExceeded.
  virtual void Register(const controlplane::v1::RegisterWorkerRequest& request, Duration deadline,
                        Done<controlplane::v1::RegisterWorkerResponse> done) = 0;
  virtual void Acknowledge(const controlplane::v1::AcknowledgeSnapshotRequest& request, Duration deadline,
                           Done<controlplane::v1::AcknowledgeSnapshotResponse> done) = 0;
  virtual void ReportRuntime(const controlplane::v1::ReportRuntimeRequest& request, Duration deadline,
                             Done<controlplane::v1::ReportRuntimeResponse> done) = 0;
  virtual void ReportOutcomes(const controlplane::v1::ReportOutcomesRequest& request, Duration deadline,
                              Done<controlplane::v1::ReportOutcomesResponse> done) = 0;
  virtual std::unique_ptr<SnapshotStream> Watch(const controlplane::v1::WatchSnapshotsRequest& request,
                                                StreamEvents events) = 0;
};

}  // namespace holdfast::client
