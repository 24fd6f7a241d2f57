#include "tests/cli/status_details.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstdint>
#include <string>

namespace holdfast::cli {
namespace {

// A field of google.rpc.Status that holds bytes.
void WriteBytes(google::protobuf::io::CodedOutputStream& out, int field, const std::string& bytes) {
  out.WriteTag(static_cast<std::uint32_t>(field) << 3 | 2);
  out.WriteVarint32(static_cast<std::uint32_t>(bytes.size()));
  out.WriteString(bytes);
}

}  // namespace

grpc::Status Refusal(grpc::StatusCode code, const controlplane::v1::ErrorDetail& detail) {
  google::protobuf::Any any;
  any.PackFrom(detail);
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.WriteTag(1 << 3);
    out.WriteVarint32(static_cast<std::uint32_t>(code));
    WriteBytes(out, 2, detail.message());
    WriteBytes(out, 3, any.SerializeAsString());
  }
  return {code, detail.message(), bytes};
}

grpc::Status Refusal(grpc::StatusCode code, controlplane::v1::RejectReason reason, const std::string& message) {
  controlplane::v1::ErrorDetail detail;
  detail.set_reason(reason);
  detail.set_message(message);
  return Refusal(code, detail);
}

}  // namespace holdfast::cli
