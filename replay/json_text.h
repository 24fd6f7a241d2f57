// JSON as programs get it, one way for every command: snake_case names, JSON numbers, times RFC 3339 in UTC with
// microseconds or null, hashes hexadecimal. Text that is no UTF-8 gets the replacement character.
//
// Thread: pure functions.

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/log_time.h"

namespace holdfast::replay {

using Json = nlohmann::ordered_json;

// One line, without its end.
std::string JsonText(const Json& value);

Json TimeJson(LogTime time);             // null where it is absent
Json SequenceJson(Sequence sequence);    // null for 0
Json TextJson(const std::string& text);  // null where it is empty
Json MillisJson(Duration duration);

// Lower-case hexadecimal digits of bytes.
std::string HexText(std::string_view bytes);

}  // namespace holdfast::replay
