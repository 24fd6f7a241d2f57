#include "server/rejection_status.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include "controller/proto_time.h"

namespace holdfast::server {
namespace {

using google::protobuf::internal::WireFormatLite;

constexpr std::size_t kMostMessageBytes = 1024;

// Cut where a character of UTF-8 begins.
std::string Cut(const std::string& text) {
  if (text.size() <= kMostMessageBytes) return text;
  std::size_t end = kMostMessageBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

// google.rpc.Status, three fields: 1 code, 2 message, 3 details. Its generated form is not part of what we build on.
std::string StatusDetails(grpc::StatusCode code, const std::string& message,
                          const controlplane::v1::ErrorDetail& detail) {
  google::protobuf::Any any;
  any.PackFrom(detail);
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    WireFormatLite::WriteInt32(1, code, &out);
    WireFormatLite::WriteString(2, message, &out);
    WireFormatLite::WriteString(3, any.SerializeAsString(), &out);
  }
  return bytes;
}

}  // namespace

grpc::StatusCode StatusCodeOf(RejectReason reason) {
  switch (reason) {
    case RejectReason::kMalformed:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case RejectReason::kIdentityMismatch:
      return grpc::StatusCode::PERMISSION_DENIED;
    case RejectReason::kProtocolVersion:
    case RejectReason::kFailedCondition:
    case RejectReason::kSessionUnknown:
    case RejectReason::kSessionSuperseded:
    case RejectReason::kSessionExpired:
    case RejectReason::kSessionClosed:
    case RejectReason::kEpochStale:
    case RejectReason::kEpochAhead:
    case RejectReason::kReferenceNotIssued:
    case RejectReason::kReferenceSuperseded:
    case RejectReason::kChecksumMismatch:
    case RejectReason::kSnapshotExpired:
    case RejectReason::kRuntimeFenced:
    case RejectReason::kVersionNotAcknowledged:
      return grpc::StatusCode::FAILED_PRECONDITION;
    case RejectReason::kSequenceRegressed:
    case RejectReason::kSequenceConflict:
    case RejectReason::kRequestConflict:
      return grpc::StatusCode::ALREADY_EXISTS;
    case RejectReason::kLimitExceeded:
    case RejectReason::kOverloaded:
    case RejectReason::kNotEnoughProxies:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case RejectReason::kPoolUnavailable:
    case RejectReason::kNotReady:
    case RejectReason::kNotLeader:
    case RejectReason::kShuttingDown:
    case RejectReason::kDraining:
      return grpc::StatusCode::UNAVAILABLE;
    case RejectReason::kNotFound:
    case RejectReason::kTaskUnknown:
      return grpc::StatusCode::NOT_FOUND;
    case RejectReason::kNoLongerKept:
      return grpc::StatusCode::OUT_OF_RANGE;
    case RejectReason::kStreamReplaced:
    case RejectReason::kSlowReader:
      return grpc::StatusCode::ABORTED;
    case RejectReason::kAckTimeout:
      return grpc::StatusCode::DEADLINE_EXCEEDED;
    case RejectReason::kUnspecified:
      break;
  }
  return grpc::StatusCode::INTERNAL;
}

controlplane::v1::ErrorDetail ErrorDetailOf(const Rejection& rejection) {
  controlplane::v1::ErrorDetail detail;
  detail.set_reason(static_cast<controlplane::v1::RejectReason>(rejection.reason));
  detail.set_message(Cut(rejection.message));
  detail.set_field(rejection.field);
  for (const auto& [key, value] : rejection.metadata) (*detail.mutable_metadata())[key] = value;
  if (rejection.retry_after > Duration(0)) PutDuration(rejection.retry_after, detail.mutable_retry_after());
  return detail;
}

grpc::Status StatusOf(const Rejection& rejection) {
  const grpc::StatusCode code = StatusCodeOf(rejection.reason);
  const controlplane::v1::ErrorDetail detail = ErrorDetailOf(rejection);
  return grpc::Status(code, detail.message(), StatusDetails(code, detail.message(), detail));
}

Rejection ShuttingDownRejection() {
  return {RejectReason::kShuttingDown, "the controller is shutting down; try again, or another address"};
}

}  // namespace holdfast::server
