#include "client/call_result.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace holdfast::client {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// google.rpc.Status is not generated here; it is three fields: 1 code, 2 message, 3 repeated Any{1 type_url, 2 value}.
constexpr int kStatusDetails = 3;
constexpr int kAnyTypeUrl = 1;
constexpr int kAnyValue = 2;
constexpr std::string_view kDetailType = "/controlplane.v1.ErrorDetail";

bool ReadBytes(CodedInputStream& input, std::string& bytes) {
  std::uint32_t length = 0;
  return input.ReadVarint32(&length) && input.ReadString(&bytes, static_cast<int>(length));
}

// Calls visit(field, bytes) for each length-delimited field; false where the bytes are no message.
template <class Visitor>
bool ForEachBytesField(std::string_view message, const Visitor& visit) {
  CodedInputStream input(reinterpret_cast<const std::uint8_t*>(message.data()), static_cast<int>(message.size()));
  while (const std::uint32_t tag = input.ReadTag()) {
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&input, tag)) return false;
      continue;
    }
    std::string bytes;
    if (!ReadBytes(input, bytes)) return false;
    visit(WireFormatLite::GetTagFieldNumber(tag), bytes);
  }
  return input.ConsumedEntireMessage();
}

}  // namespace

std::string WordsOf(const CallResult& result) {
  const std::string reason = result.detail ? RejectReason_Name(result.reason()) : std::string("no detail");
  return reason + ": " +
         (result.detail && !result.detail->message().empty() ? result.detail->message() : result.message);
}

std::optional<controlplane::v1::ErrorDetail> ParseErrorDetail(std::string_view status_details) {
  std::optional<controlplane::v1::ErrorDetail> found;
  const bool whole = ForEachBytesField(status_details, [&](int field, const std::string& any) {
    if (field != kStatusDetails || found) return;
    std::string type_url;
    std::string value;
    const bool well_formed = ForEachBytesField(any, [&](int any_field, const std::string& bytes) {
      if (any_field == kAnyTypeUrl) type_url = bytes;
      if (any_field == kAnyValue) value = bytes;
    });
    controlplane::v1::ErrorDetail detail;
    if (well_formed && type_url.ends_with(kDetailType) && detail.ParseFromString(value)) found = std::move(detail);
  });
  if (!whole) return std::nullopt;
  return found;
}

}  // namespace holdfast::client
