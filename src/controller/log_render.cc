#include "controller/log_render.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>

#include "controller/decide.h"
#include "events/block_hash.h"

namespace holdfast {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Which field of the one oneof of Input and Event is set; nullptr: none that this build knows.
const FieldDescriptor* SetField(const Message& message) {
  return message.GetReflection()->GetOneofFieldDescriptor(message, message.GetDescriptor()->oneof_decl(0));
}

// "sequence 12: an event of kind 97": what a newer version wrote.
absl::Status Unknown(Sequence sequence, std::string_view what, const Message& message) {
  const google::protobuf::UnknownFieldSet& unknown = message.GetReflection()->GetUnknownFields(message);
  const int number = unknown.empty() ? 0 : unknown.field(0).number();
  return absl::UnimplementedError(absl::StrCat("sequence ", sequence.value(), ": an ", std::string(what), " of kind ",
                                               number, " is not known to this version; read the log with a newer one"));
}

absl::Status AppendNamed(const Message& message, std::string& out) {
  const FieldDescriptor* field = SetField(message);
  std::string body;
  const auto status =
      google::protobuf::util::MessageToJsonString(message.GetReflection()->GetMessage(message, field), &body);
  if (!status.ok()) {
    return absl::InternalError(
        absl::StrCat(field->name(), " could not be written as JSON: ", std::string(status.message())));
  }
  absl::StrAppend(&out, "{\"", field->name(), "\":", body, "}");
  return absl::OkStatus();
}

absl::Status AppendInput(const EntryMessages& messages, std::size_t most_bytes, std::string& json) {
  const std::size_t start = json.size();
  const char* instead = messages.input_dropped ? "inputDropped" : nullptr;
  if (instead == nullptr) {
    if (absl::Status status = AppendNamed(messages.input, json); !status.ok()) return status;
    if (json.size() - start > most_bytes) instead = "inputCut";
  }
  if (instead == nullptr) return absl::OkStatus();
  json.resize(start);
  absl::StrAppend(&json, "{\"", EntryKind(messages), "\":null},\"", instead, "\":true");
  return absl::OkStatus();
}

Hash256 ToHash(std::string_view bytes) {
  Hash256 hash{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), hash.size()), hash.begin());
  return hash;
}

}  // namespace

absl::Status ParseEntry(const EntryView& entry, EntryMessages& messages) {
  const auto parse = [&](std::string_view bytes, std::string_view what, Message& message) -> absl::Status {
    if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat("sequence ", entry.sequence.value(), ": its ", std::string(what), " cannot be parsed"));
  };
  messages.input_dropped = entry.input_dropped;
  messages.input.Clear();
  if (!entry.input_dropped) {
    if (absl::Status status = parse(entry.input, "input", messages.input); !status.ok()) return status;
    if (SetField(messages.input) == nullptr) return Unknown(entry.sequence, "input", messages.input);
  }
  if (absl::Status status = parse(entry.events, "events", messages.events); !status.ok()) return status;
  for (const log::v1::Event& event : messages.events.events()) {
    if (SetField(event) == nullptr) return Unknown(entry.sequence, "event", event);
  }
  return absl::OkStatus();
}

std::string EntryKind(const EntryMessages& messages) {
  if (!messages.input_dropped) return std::string(InputKind(messages.input));
  for (const log::v1::Event& event : messages.events.events()) {
    if (event.has_runtime_accepted()) return "report_runtime";
    if (event.has_outcomes_accepted()) return "report_outcomes";
    if (event.has_checker_heard()) return "report_observations";
  }
  return kDroppedKind;
}

absl::StatusOr<std::string> EntryJson(const EntryMessages& messages, std::size_t most_bytes) {
  std::string json = "{\"input\":";
  if (absl::Status status = AppendInput(messages, most_bytes / 2, json); !status.ok()) return status;
  json += ",\"events\":[";
  const int count = messages.events.events_size();
  for (int i = 0; i < count; ++i) {
    const std::size_t end = json.size();
    if (i > 0) json += ",";
    if (absl::Status status = AppendNamed(messages.events.events(i), json); !status.ok()) return status;
    if (json.size() <= most_bytes) continue;
    json.resize(end);
    absl::StrAppend(&json, "],\"eventsCut\":", count - i, "}");
    return json;
  }
  json += "]}";
  return json;
}

std::string EntryLine(const EntryView& entry, const EntryMessages& messages) {
  const std::string time =
      absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::FromUnixMicros(ToMicros(entry.at)), absl::UTCTimeZone());
  return absl::StrCat(entry.sequence.value(), " ", time, " ", std::string(entry.principal), " ", EntryKind(messages),
                      ": ", EntrySummary(messages));
}

Hash256 EntryHashOf(const EntryView& entry, Sha256& hasher) {
  const Hash256 input = entry.stored_input_hash.empty() ? hasher.Of(entry.input) : ToHash(entry.stored_input_hash);
  const Hash256 events = hasher.Of(entry.events);
  return EntryHash(hasher, entry.sequence, entry.at, entry.principal, input, events);
}

}  // namespace holdfast
