#include "tools/cli/enum_word.h"

#include <google/protobuf/descriptor.h>

#include <cctype>

namespace holdfast::cli {
namespace {

std::string Lower(std::string_view text) {
  std::string lower;
  for (const char character : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  return lower;
}

// Every enum of the contract begins with PREFIX_UNSPECIFIED.
std::string WordOf(const google::protobuf::EnumValueDescriptor& value) {
  constexpr std::string_view kZero = "UNSPECIFIED";
  const std::string& zero = value.type()->value(0)->name();
  const std::size_t prefix = zero.ends_with(kZero) ? zero.size() - kZero.size() : 0;
  return Lower(std::string_view(value.name()).substr(prefix));
}

}  // namespace

std::string EnumWord(const google::protobuf::EnumDescriptor& descriptor, int value) {
  const google::protobuf::EnumValueDescriptor* found = descriptor.FindValueByNumber(value);
  return found == nullptr ? "unknown_" + std::to_string(value) : WordOf(*found);
}

std::optional<int> ParseEnumWord(const google::protobuf::EnumDescriptor& descriptor, std::string_view word) {
  const std::string wanted = Lower(word);
  for (int i = 1; i < descriptor.value_count(); ++i) {
    if (WordOf(*descriptor.value(i)) == wanted) return descriptor.value(i)->number();
  }
  return std::nullopt;
}

std::vector<std::string> EnumWords(const google::protobuf::EnumDescriptor& descriptor) {
  std::vector<std::string> words;
  for (int i = 1; i < descriptor.value_count(); ++i) words.push_back(WordOf(*descriptor.value(i)));
  return words;
}

}  // namespace holdfast::cli
