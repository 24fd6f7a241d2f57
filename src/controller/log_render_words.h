// What log_render_events.cc and log_render_checks.cc share: times, spans and enumerations as words.
//
// Thread: pure functions.

#pragma once

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/time/time.h>
#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <string>

#include "controller/validate_text.h"
#include "holdfast/log/v1/event.pb.h"

namespace holdfast::log_words {

inline constexpr std::size_t kMostDetailBytes = 120;

inline std::string Time(std::int64_t micros) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromUnixMicros(micros), absl::UTCTimeZone());
}

// ", until ..."; nothing where there is no deadline.
inline std::string Until(std::int64_t micros) {
  return micros == 0 ? std::string() : absl::StrCat(", until ", Time(micros));
}

inline std::string Span(std::int64_t micros) { return absl::FormatDuration(absl::Microseconds(micros)); }

inline std::string Short(const std::string& text) { return std::string(CutUtf8(text, kMostDetailBytes)); }

// "CLOSE_REASON_DRAIN_DEADLINE" -> "drain deadline": what the values of an enumeration have in common goes.
template <class E>
std::string Words(E value) {
  const google::protobuf::EnumDescriptor* type = google::protobuf::GetEnumDescriptor<E>();
  const google::protobuf::EnumValueDescriptor* named = type->FindValueByNumber(value);
  if (named == nullptr) return absl::StrCat(static_cast<int>(value));
  std::string name = named->name();
  const std::string& zero = type->FindValueByNumber(0)->name();
  const std::size_t common = zero.size() - std::string("UNSPECIFIED").size();
  if (name.compare(0, common, zero, 0, common) == 0) name.erase(0, common);
  return absl::StrReplaceAll(absl::AsciiStrToLower(name), {{"_", " "}});
}

// Events of checkers' sessions; of their tasks and of health. Empty: none of these.
std::string DescribeChecker(const log::v1::Event& event);
std::string DescribeCheck(const log::v1::Event& event);
// Of extraction and of the pool store.
std::string DescribeExtraction(const log::v1::Event& event);

}  // namespace holdfast::log_words
