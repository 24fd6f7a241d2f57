#include "tools/cli/log_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "tools/cli/printable_text.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMostFields = 5;
constexpr std::size_t kMostEvents = 6;
constexpr std::size_t kMostBytesOfAValue = 60;

// What names things or says why, the most telling first.
constexpr std::array<std::string_view, 19> kTellingFields = {
    "worker_id",  "checker_id",      "member_id",   "client_id",   "proxy_id",
    "request_id", "session_id",      "instance_id", "version",     "accepted",
    "refusal",    "report_sequence", "sequence",    "first_index", "replace_source",
    "source",     "reason",          "count",       "scope"};

std::string ScalarText(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>() : JsonText(value);
  if (text.size() > kMostBytesOfAValue) text = text.substr(0, kMostBytesOfAValue) + "...";
  return text;
}

// protobuf's JSON mapping writes worker_id as workerId.
std::string JsonName(std::string_view name) {
  std::string json_name;
  bool upper = false;
  for (const char character : name) {
    if (character != '_') json_name += upper ? static_cast<char>(std::toupper(character)) : character;
    upper = character == '_';
  }
  return json_name;
}

// The message that was heard; some inputs wrap it as "request".
const Json& Heard(const Json& input) {
  const auto request = input.find("request");
  return request != input.end() && request->is_object() ? *request : input;
}

std::string FieldsText(const Json& input) {
  const Json& heard = Heard(input);
  std::string text;
  std::size_t shown = 0;
  for (const std::string_view name : kTellingFields) {
    const auto field = heard.find(JsonName(name));
    if (field == heard.end() || field->is_structured() || shown >= kMostFields) continue;
    text += " " + std::string(name) + "=" + ScalarText(*field);
    ++shown;
  }
  for (const auto& [name, value] : heard.items()) {
    if (!value.is_array() || value.empty() || shown >= kMostFields) continue;
    text += " " + name + "=" + std::to_string(value.size());
    ++shown;
  }
  return text;
}

std::string EventText(const std::string& name, const Json& event) {
  const auto reason = event.is_object() ? event.find("reason") : event.end();
  return event.is_object() && reason != event.end() && reason->is_string() ? name + " (" + ScalarText(*reason) + ")"
                                                                           : name;
}

std::string EventsText(const Json& events) {
  std::vector<std::pair<std::string, std::uint64_t>> counted;
  for (const Json& event : events) {
    if (!event.is_object() || event.empty()) continue;
    const std::string text = EventText(event.begin().key(), event.begin().value());
    const auto same = std::find_if(counted.begin(), counted.end(), [&](const auto& one) { return one.first == text; });
    if (same != counted.end()) {
      ++same->second;
    } else {
      counted.emplace_back(text, 1);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < counted.size() && i < kMostEvents; ++i) {
    text += (i == 0 ? "" : ", ") + counted[i].first;
    if (counted[i].second > 1) text += " x" + std::to_string(counted[i].second);
  }
  if (counted.size() > kMostEvents) text += ", and " + std::to_string(counted.size() - kMostEvents) + " more";
  return text.empty() ? "nothing decided" : text;
}

// Empty: the text is not what the contract says, and is shown as it is elsewhere (--json).
std::string WhatText(const std::string& json) {
  const Json entry = Json::parse(json, nullptr, false);
  if (!entry.is_object()) return "";
  const auto input = entry.find("input");
  const auto events = entry.find("events");
  std::string text;
  if (input != entry.end() && input->is_object() && !input->empty() && input->begin()->is_object()) {
    text = FieldsText(*input->begin());
  }
  text += " -> " + (events != entry.end() && events->is_array() ? EventsText(*events) : "nothing decided");
  return text.substr(1);
}

std::string TimeWithMillis(std::int64_t micros) {
  std::string text = Rfc3339(micros);  // ...:12.123456Z
  text.replace(10, 1, " ");
  return text.substr(0, text.size() - 4) + "Z";
}

std::string Padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

}  // namespace

std::string LogLineText(const audit::v1::LogLine& line) {
  constexpr std::size_t kSequenceWidth = 9;
  constexpr std::size_t kPrincipalWidth = 10;
  constexpr std::size_t kKindWidth = 20;
  std::string sequence = std::to_string(line.sequence());
  if (sequence.size() < kSequenceWidth) sequence.insert(0, kSequenceWidth - sequence.size(), ' ');
  return PrintableText(sequence + "  " + TimeWithMillis(ToMicros(line.at())) + "  " +
                       Padded(line.principal(), kPrincipalWidth) + "  " + Padded(line.kind(), kKindWidth) + "  " +
                       WhatText(line.json()));
}

Json LogLineJson(const audit::v1::LogLine& line) {
  const Json entry = Json::parse(line.json(), nullptr, false);
  Json json;
  json["sequence"] = line.sequence();
  json["at"] = TimeJson(line.has_at(), line.at());
  json["kind"] = line.kind();
  json["principal"] = line.principal();
  json["entry_hash"] = HexText(line.entry_hash());
  json["entry"] = entry.is_discarded() ? Json(nullptr) : entry;
  return json;
}

}  // namespace holdfast::cli
