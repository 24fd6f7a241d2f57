// Between gRPC's byte buffers and what a command stores: the request's own bytes, wrapped as a serialised log.v1.Input
// without being written anew.
//
// Called by handlers on gRPC's threads and by whoever answers. Thread: any; pure functions.
// Does not: parse or judge the bytes (controller/command.h, controller/validate.h).

#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "controller/command.h"

namespace holdfast::server {

// Input{acknowledge_snapshot: RAW}: the kind's field of log.v1.Input is the request itself.
std::string WrapPlainRequest(log::v1::Input::InputCase kind, const grpc::ByteBuffer& request);

// Input{report_runtime: ReportRuntime{request: RAW, …rest}}: the request is field 1 of the kind's message; `rest` are
// its other fields, serialised.
std::string WrapRequest(log::v1::Input::InputCase kind, const grpc::ByteBuffer& request, std::string_view rest = {});

// Bytes of one field, for `rest`.
std::string StringField(int number, std::string_view value);
std::string NumberField(int number, std::uint64_t value);

grpc::ByteBuffer SerialiseToBuffer(const google::protobuf::MessageLite& message);

}  // namespace holdfast::server
