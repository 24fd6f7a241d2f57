#include "replay/json_text.h"

#include <absl/strings/escaping.h>

#include "replay/time_text.h"

namespace holdfast::replay {

std::string JsonText(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json TimeJson(LogTime time) { return IsAbsent(time) ? Json(nullptr) : Json(TimeText(time)); }

Json SequenceJson(Sequence sequence) { return sequence.value() == 0 ? Json(nullptr) : Json(sequence.value()); }

Json TextJson(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json MillisJson(Duration duration) { return duration.count() / 1000; }

std::string HexText(std::string_view bytes) {
  return absl::BytesToHexString(absl::string_view(bytes.data(), bytes.size()));
}

}  // namespace holdfast::replay
