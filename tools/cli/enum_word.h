// Enum values of the wire as the words that people type and read: POOL_STATE_AVAILABLE is "available".
//
// Called by commands, for output and for filters. Pure; works by descriptor, so a value added to the contract needs no
// change here. A number that this build does not know is shown as "unknown_42".

#pragma once

#include <google/protobuf/generated_enum_reflection.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

std::string EnumWord(const google::protobuf::EnumDescriptor& descriptor, int value);
// Case does not matter. Absent: no such word; "unspecified" is none.
std::optional<int> ParseEnumWord(const google::protobuf::EnumDescriptor& descriptor, std::string_view word);
// All words that ParseEnumWord takes, in the order of the contract.
std::vector<std::string> EnumWords(const google::protobuf::EnumDescriptor& descriptor);

template <class Enum>
std::string EnumWord(Enum value) {
  return EnumWord(*google::protobuf::GetEnumDescriptor<Enum>(), static_cast<int>(value));
}

template <class Enum>
std::optional<Enum> ParseEnumWord(std::string_view word) {
  const std::optional<int> value = ParseEnumWord(*google::protobuf::GetEnumDescriptor<Enum>(), word);
  return value ? std::optional<Enum>(static_cast<Enum>(*value)) : std::nullopt;
}

template <class Enum>
std::vector<std::string> EnumWords() {
  return EnumWords(*google::protobuf::GetEnumDescriptor<Enum>());
}

}  // namespace holdfast::cli
