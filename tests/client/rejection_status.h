// A gRPC status as a controller refuses with, for the fakes.

#pragma once

#include <grpcpp/support/status.h>

#include <string>

#include "controlplane/v1/types.pb.h"

namespace holdfast::test {

// One length-delimited field, for messages under 128 bytes.
inline std::string Field(int number, const std::string& bytes) {
  std::string text(1, static_cast<char>(number << 3 | 2));
  text += static_cast<char>(bytes.size());
  return text + bytes;
}

// Carries the ErrorDetail as the contract says. Requires: a small one.
inline grpc::Status Rejection(grpc::StatusCode code, const controlplane::v1::ErrorDetail& detail) {
  const std::string any =
      Field(1, "type.googleapis.com/controlplane.v1.ErrorDetail") + Field(2, detail.SerializeAsString());
  return grpc::Status(code, "refused by the test", Field(2, "refused by the test") + Field(3, any));
}

// With a retry_after of 2 s.
inline grpc::Status Rejection(grpc::StatusCode code, controlplane::v1::RejectReason reason) {
  controlplane::v1::ErrorDetail detail;
  detail.set_reason(reason);
  detail.mutable_retry_after()->set_seconds(2);
  return Rejection(code, detail);
}

}  // namespace holdfast::test
