// The calls of CheckerControlPlane as a checker makes them, without saying over what. What holds for every transport
// stands in client/transport.h. Implementations: GrpcCheckerTransport; tests and simulations put their own in its
// place or around it.

#pragma once

#include <memory>

#include "client/client_time.h"
#include "client/transport.h"
#include "controlplane/v1/controlplane.pb.h"

namespace holdfast::client {

class CheckerTransport {
 public:
  using TaskEvents = StreamEvents<controlplane::v1::TaskUpdate>;

  virtual ~CheckerTransport() = default;

  // A new session is about to be opened: a chance to look for the controller's address again.
  virtual void Reconnect() {}

  // `deadline` is from now; over it the result is kDeadlineExceeded.
  virtual void Register(const controlplane::v1::RegisterCheckerRequest& request, Duration deadline,
                        Done<controlplane::v1::RegisterCheckerResponse> done) = 0;
  virtual void ReportObservations(const controlplane::v1::ReportObservationsRequest& request, Duration deadline,
                                  Done<controlplane::v1::ReportObservationsResponse> done) = 0;
  virtual std::unique_ptr<UpdateStream> Watch(const controlplane::v1::WatchTasksRequest& request,
                                              TaskEvents events) = 0;
};

}  // namespace holdfast::client
