#include "server/call_bytes.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <vector>

namespace holdfast::server {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

std::uint32_t BytesTag(int number) {
  return WireFormatLite::MakeTag(number, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

void AppendVarint(std::uint64_t value, std::string& out) {
  std::uint8_t bytes[10];
  const std::uint8_t* end = CodedOutputStream::WriteVarint64ToArray(value, bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(end - bytes));
}

std::size_t VarintBytes(std::uint64_t value) { return CodedOutputStream::VarintSize64(value); }

// The copy out of gRPC's memory: the only one of the bulky calls.
void AppendBuffer(const grpc::ByteBuffer& buffer, std::string& out) {
  grpc::Slice single;
  if (buffer.TrySingleSlice(&single).ok()) {
    out.append(reinterpret_cast<const char*>(single.begin()), single.size());
    return;
  }
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return;
  for (const grpc::Slice& slice : slices) out.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
}

}  // namespace

std::string WrapPlainRequest(log::v1::Input::InputCase kind, const grpc::ByteBuffer& request) {
  const std::size_t length = request.Valid() ? request.Length() : 0;
  std::string input;
  input.reserve(length + 12);
  AppendVarint(BytesTag(kind), input);
  AppendVarint(length, input);
  if (length > 0) AppendBuffer(request, input);
  return input;
}

std::string WrapRequest(log::v1::Input::InputCase kind, const grpc::ByteBuffer& request, std::string_view rest) {
  const std::size_t length = request.Valid() ? request.Length() : 0;
  const std::size_t whole = VarintBytes(BytesTag(1)) + VarintBytes(length) + length + rest.size();
  std::string input;
  input.reserve(whole + 12);
  AppendVarint(BytesTag(kind), input);
  AppendVarint(whole, input);
  AppendVarint(BytesTag(1), input);
  AppendVarint(length, input);
  if (length > 0) AppendBuffer(request, input);
  input.append(rest);
  return input;
}

std::string StringField(int number, std::string_view value) {
  std::string field;
  AppendVarint(BytesTag(number), field);
  AppendVarint(value.size(), field);
  field.append(value);
  return field;
}

std::string NumberField(int number, std::uint64_t value) {
  std::string field;
  AppendVarint(WireFormatLite::MakeTag(number, WireFormatLite::WIRETYPE_VARINT), field);
  AppendVarint(value, field);
  return field;
}

grpc::ByteBuffer SerialiseToBuffer(const google::protobuf::MessageLite& message) {
  const std::size_t size = message.ByteSizeLong();
  grpc::Slice slice(size);
  message.SerializeWithCachedSizesToArray(const_cast<std::uint8_t*>(slice.begin()));
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace holdfast::server
