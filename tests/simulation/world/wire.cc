#include "tests/simulation/world/wire.h"

#include <map>

#include "controller/proto_time.h"

namespace holdfast::simulation {
namespace {

constexpr int kInvalidArgument = 3, kDeadlineExceeded = 4, kAlreadyExists = 6, kPermissionDenied = 7,
              kResourceExhausted = 8, kFailedPrecondition = 9, kAborted = 10, kUnavailable = 14;

int CodeOf(RejectReason reason) {
  static const auto& codes = *new std::map<RejectReason, int>{
      {RejectReason::kMalformed, kInvalidArgument},       {RejectReason::kIdentityMismatch, kPermissionDenied},
      {RejectReason::kSequenceRegressed, kAlreadyExists}, {RejectReason::kSequenceConflict, kAlreadyExists},
      {RejectReason::kLimitExceeded, kResourceExhausted}, {RejectReason::kOverloaded, kResourceExhausted},
      {RejectReason::kStreamReplaced, kAborted},          {RejectReason::kSlowReader, kAborted},
      {RejectReason::kAckTimeout, kDeadlineExceeded},     {RejectReason::kNotReady, kUnavailable},
      {RejectReason::kShuttingDown, kUnavailable}};
  const auto found = codes.find(reason);
  return found == codes.end() ? kFailedPrecondition : found->second;
}

}  // namespace

CallEnd EndOf(const Rejection& rejection) {
  CallEnd end;
  if (rejection.reason == RejectReason::kUnspecified) return end;  // a stream that ends well
  end.code = CodeOf(rejection.reason);
  controlplane::v1::ErrorDetail& detail = end.detail.emplace();
  detail.set_reason(static_cast<controlplane::v1::RejectReason>(rejection.reason));
  detail.set_message(rejection.message);
  detail.set_field(rejection.field);
  for (const auto& [key, value] : rejection.metadata) (*detail.mutable_metadata())[key] = value;
  if (rejection.retry_after > Duration(0)) PutDuration(rejection.retry_after, detail.mutable_retry_after());
  return end;
}

CallEnd Unavailable() {
  CallEnd end;
  end.code = kUnavailable;
  return end;
}

}  // namespace holdfast::simulation
