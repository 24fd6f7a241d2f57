#include "tools/cli/json_text.h"

#include <ostream>

#include "tools/cli/label_text.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {

std::string JsonText(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json TimeJson(bool present, const google::protobuf::Timestamp& time) {
  return present ? Json(Rfc3339(ToMicros(time))) : Json(nullptr);
}

Json TextJson(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string HexText(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

Json LabelsJson(const google::protobuf::Map<std::string, std::string>& labels) {
  Json json = Json::object();
  for (const auto& [key, value] : SortedLabels(labels)) json[key] = value;
  return json;
}

JsonList::JsonList(std::ostream& out, std::string_view name) : out_(out), name_(name) {}

void JsonList::Add(const Json& item) {
  if (empty_) out_ << "{" << JsonText(Json(name_)) << ":[";
  out_ << (empty_ ? "\n" : ",\n") << JsonText(item);
  empty_ = false;
}

void JsonList::Finish(const Json& fields) {
  if (empty_) out_ << "{" << JsonText(Json(name_)) << ":[";
  out_ << (empty_ ? "]" : "\n]");
  if (!fields.empty()) {
    const std::string text = JsonText(fields);
    out_ << "," << std::string_view(text).substr(1);
  } else {
    out_ << "}";
  }
  out_ << "\n";
}

}  // namespace holdfast::cli
