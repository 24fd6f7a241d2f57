// A read of the log that failed, as its caller hears it.
//
// Thread: any; a pure function.

#pragma once

#include <absl/status/status.h>
#include <grpcpp/support/status.h>

#include <string>

namespace holdfast::server {

// what: "the ownership history". The code stays (gRPC's are the same).
inline grpc::Status ReadError(const std::string& what, const absl::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      what + " cannot be read: " + std::string(status.message().data(), status.message().size()));
}

}  // namespace holdfast::server
