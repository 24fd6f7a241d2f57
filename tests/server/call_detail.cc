#include "tests/server/call_detail.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/unknown_field_set.h>

namespace holdfast::server {

std::optional<CallDetail> DetailOf(const grpc::Status& status) {
  google::protobuf::UnknownFieldSet fields;
  if (status.error_details().empty() || !fields.ParseFromString(status.error_details())) return std::nullopt;
  CallDetail result;
  int details = 0;
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField& field = fields.field(i);
    if (field.number() == 1) result.code = static_cast<int>(field.varint());
    if (field.number() == 2) result.message = field.length_delimited();
    if (field.number() != 3) continue;
    ++details;
    google::protobuf::Any any;
    if (!any.ParseFromString(field.length_delimited())) return std::nullopt;
    if (any.type_url() != "type.googleapis.com/controlplane.v1.ErrorDetail") return std::nullopt;
    if (!any.UnpackTo(&result.detail)) return std::nullopt;
  }
  if (details != 1) return std::nullopt;
  return result;
}

controlplane::v1::RejectReason ReasonOf(const grpc::Status& status) {
  const std::optional<CallDetail> detail = DetailOf(status);
  return detail ? detail->detail.reason() : controlplane::v1::REJECT_REASON_UNSPECIFIED;
}

}  // namespace holdfast::server
