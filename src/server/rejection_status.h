// A rejection as gRPC carries it: the code of the contract's table, and google.rpc.Status{code, message, [ErrorDetail]}
// in the trailer grpc-status-details-bin.
//
// Called by every service when it answers. Thread: any; pure functions.
// Promises: a client that knows only the code does the right thing; one that reads the detail sees all of the
// rejection. A message is cut at 1 KiB, since trailers are bounded (8 KiB at many clients).

#pragma once

#include <grpcpp/support/status.h>

#include <string>

#include "controller/decision.h"

namespace holdfast::server {

// Requires: a reason of the contract's table.
grpc::StatusCode StatusCodeOf(RejectReason reason);

controlplane::v1::ErrorDetail ErrorDetailOf(const Rejection& rejection);

grpc::Status StatusOf(const Rejection& rejection);

// What everybody is told whom the end of this process cuts off.
Rejection ShuttingDownRejection();

}  // namespace holdfast::server
