#include "tools/checker/judge_report.h"

#include <nlohmann/json.hpp>
#include <variant>

#include "absl/strings/ascii.h"

namespace holdfast::checker {
namespace {

// The text under `key`; nothing where it is absent or no text.
const std::string* TextAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : found->get_ptr<const std::string*>();
}

bool AddHeaders(const std::string& name, const nlohmann::json& values, std::vector<SeenHeader>& headers) {
  if (!values.is_array()) return false;
  for (const nlohmann::json& value : values) {
    if (!value.is_string()) return false;
    headers.push_back({absl::AsciiStrToLower(name), value.get<std::string>()});
  }
  return true;
}

}  // namespace

std::optional<IpAddress> ParseAddress(std::string_view text) {
  const ParsedIp parsed = text.find(':') != std::string_view::npos ? ParseIpv6(text) : ParseIpv4(text);
  if (const auto* address = std::get_if<IpAddress>(&parsed)) return *address;
  return std::nullopt;
}

std::optional<JudgeReport> ParseJudgeReport(std::string_view body, std::string_view nonce) {
  const nlohmann::json json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const std::string* const given_back = TextAt(json, "nonce");
  if (given_back == nullptr || *given_back != nonce) return std::nullopt;
  const std::string* const address_text = TextAt(json, "address");
  const std::optional<IpAddress> address = address_text ? ParseAddress(*address_text) : std::nullopt;
  const auto headers = json.find("headers");
  if (!address || headers == json.end() || !headers->is_object()) return std::nullopt;
  JudgeReport report{*address, {}};
  for (const auto& [name, values] : headers->items()) {
    if (!AddHeaders(name, values, report.headers)) return std::nullopt;
  }
  return report;
}

}  // namespace holdfast::checker
