// How a call ended: its code, the message, and the controller's own words where it sent any.
//
// A plain value, free of gRPC types; made by the transport.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "controlplane/v1/types.pb.h"

namespace holdfast::client {

struct CallResult {
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string message;
  // Absent: the call never reached a controller's rules.
  std::optional<controlplane::v1::ErrorDetail> detail = std::nullopt;

  bool ok() const { return code == absl::StatusCode::kOk; }
  controlplane::v1::RejectReason reason() const {
    return detail ? detail->reason() : controlplane::v1::REJECT_REASON_UNSPECIFIED;
  }
};

// "REASON: message" of a call that was refused, for people.
std::string WordsOf(const CallResult& result);

// The ErrorDetail in the trailer grpc-status-details-bin (a serialised google.rpc.Status); nothing where there is none
// or the bytes are not well formed.
std::optional<controlplane::v1::ErrorDetail> ParseErrorDetail(std::string_view status_details);

}  // namespace holdfast::client
