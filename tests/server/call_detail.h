// What a client reads out of a refused call, decoded by hand from the published form: google.rpc.Status in the trailer.
//
// Thread: pure.

#pragma once

#include <grpcpp/support/status.h>

#include <optional>
#include <string>

#include "controlplane/v1/types.pb.h"

namespace holdfast::server {

struct CallDetail {
  int code = 0;         // of google.rpc.Status
  std::string message;  // of google.rpc.Status
  controlplane::v1::ErrorDetail detail;
};

// nullopt: no such trailer, or not of that form.
std::optional<CallDetail> DetailOf(const grpc::Status& status);

// The reason alone; UNSPECIFIED where there is no detail.
controlplane::v1::RejectReason ReasonOf(const grpc::Status& status);

}  // namespace holdfast::server
