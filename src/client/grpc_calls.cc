#include "client/grpc_calls.h"

namespace holdfast::client {

CallResult ResultFrom(const grpc::Status& status) {
  return {.code = static_cast<absl::StatusCode>(status.error_code()),
          .message = status.error_message(),
          .detail = ParseErrorDetail(status.error_details())};
}

CallResult NoAddress() { return {.code = absl::StatusCode::kUnavailable, .message = "no address to call yet"}; }

}  // namespace holdfast::client
