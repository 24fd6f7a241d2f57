#include "tools/cli/command_options.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "tools/cli/time_text.h"

namespace holdfast::cli {

std::string ChoicesText(const std::vector<std::string>& choices) {
  std::string text;
  for (const std::string& choice : choices) text += (text.empty() ? "" : "|") + choice;
  return text;
}

CLI::Validator OneOf(std::vector<std::string> choices) {
  const auto check = [choices = std::move(choices)](const std::string& given) -> std::string {
    std::string lower = given;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char character) { return static_cast<char>(std::tolower(character)); });
    if (std::find(choices.begin(), choices.end(), lower) != choices.end()) return "";
    return "\"" + given + "\" is none of " + ChoicesText(choices);
  };
  return CLI::Validator(check, "");
}

CLI::Validator KeyAndValue() {
  const auto check = [](const std::string& given) -> std::string {
    const std::size_t equals = given.find('=');
    return equals == std::string::npos || equals == 0 ? "\"" + given + "\" is not KEY=VALUE" : "";
  };
  return CLI::Validator(check, "");
}

CLI::Validator TimeUpTo(std::chrono::microseconds most) {
  const auto check = [most](const std::string& given) -> std::string {
    const std::optional<std::int64_t> micros = ParseDurationOrZero(given);
    if (micros && *micros <= most.count()) return "";
    return "\"" + given + "\" is no time from 0 to " + DurationText(most.count()) + ". Write 30s, 5m or 0";
  };
  return CLI::Validator(check, "");
}

CLI::Validator NotEmpty() {
  const auto check = [](const std::string& given) -> std::string { return given.empty() ? "it is empty" : ""; };
  return CLI::Validator(check, "");
}

std::pair<std::string, std::string> SplitKeyAndValue(const std::string& text) {
  const std::size_t equals = text.find('=');
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace holdfast::cli
