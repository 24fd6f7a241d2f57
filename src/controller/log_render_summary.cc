// What an entry as a whole says: whose input it was, then its events, like ones summed up.

#include <absl/strings/str_cat.h>

#include "controller/log_render.h"
#include "controller/log_render_events.h"
#include "controller/validate_text.h"

namespace holdfast {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr int kTold = 2;  // events of one kind in a row that are told one by one
constexpr std::size_t kMostSummaryBytes = 600;

// The value of a text field, looked for in the message and in its `request`; empty: neither has one.
std::string TextField(const Message& message, const char* name) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
  if (field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_STRING && !field->is_repeated()) {
    return message.GetReflection()->GetString(message, field);
  }
  const FieldDescriptor* request = message.GetDescriptor()->FindFieldByName("request");
  if (request == nullptr) return {};
  return TextField(message.GetReflection()->GetMessage(message, request), name);
}

// Whose input it was, or what it was about.
std::string Subject(const EntryMessages& messages) {
  if (messages.input_dropped) return "(input no longer kept)";
  const google::protobuf::Reflection* reflection = messages.input.GetReflection();
  const FieldDescriptor* field =
      reflection->GetOneofFieldDescriptor(messages.input, messages.input.GetDescriptor()->oneof_decl(0));
  if (field == nullptr) return {};
  const Message& body = reflection->GetMessage(messages.input, field);
  for (const char* name : {"worker_id", "checker_id", "member_id", "client_id", "extraction_id", "proxy_id", "cause"}) {
    if (std::string text = TextField(body, name); !text.empty()) return text;
  }
  return {};
}

}  // namespace

std::string EntrySummary(const EntryMessages& messages) {
  std::string text = Subject(messages);
  const auto& events = messages.events.events();
  for (int i = 0; i < events.size();) {
    int end = i + 1;
    while (end < events.size() && events[end].event_case() == events[i].event_case()) ++end;
    const int told = end - i <= kTold ? end - i : 1;
    for (int k = i; k < i + told; ++k) absl::StrAppend(&text, text.empty() ? "" : "; ", DescribeEvent(events[k]));
    if (end - i > told) absl::StrAppend(&text, " (and ", end - i - told, " more: ", EventWords(events[i]), ")");
    i = end;
    if (text.size() > kMostSummaryBytes) break;
  }
  if (events.empty()) absl::StrAppend(&text, text.empty() ? "" : "; ", "nothing followed");
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return std::string(CutUtf8(text, kMostSummaryBytes));
}

}  // namespace holdfast
