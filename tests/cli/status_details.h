// Makes refusals as the daemon sends them: a gRPC status with an ErrorDetail in its details.
//
// For the tests of the command line. Pure.

#pragma once

#include <grpcpp/support/status.h>

#include "controlplane/v1/types.pb.h"

namespace holdfast::cli {

grpc::Status Refusal(grpc::StatusCode code, const controlplane::v1::ErrorDetail& detail);
grpc::Status Refusal(grpc::StatusCode code, controlplane::v1::RejectReason reason, const std::string& message);

}  // namespace holdfast::cli
