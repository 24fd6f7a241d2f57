#include "tools/cli/routings_file.h"

#include <google/protobuf/util/json_util.h>

#include "tools/cli/json_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::ApplyRoutingsRequest;

// Without the library's own "[json.exception.parse_error.101] " in front, and without the piece of the file behind: it
// may be another file than was meant, one with secrets.
std::string PlaceAndFault(const std::string& text) {
  const std::size_t begin = text.find("] ");
  const std::size_t from = text.starts_with('[') && begin != std::string::npos ? begin + 2 : 0;
  return text.substr(from, text.find(": ", from) - from);
}

std::optional<Json> ParseJson(std::string_view text, std::string& error) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& fault) {
    error = "it is no JSON: " + PlaceAndFault(fault.what());
    return std::nullopt;
  }
}

}  // namespace

std::optional<ApplyRoutingsRequest> ParseRoutings(std::string_view text, std::string& error) {
  std::optional<Json> json = ParseJson(text, error);
  if (!json) return std::nullopt;
  if (json->is_array()) json = Json{{"routings", *json}};
  if (!json->is_object() || !json->contains("routings")) {
    error = "it holds no \"routings\": write {\"routings\": [...]} or a list of routings";
    return std::nullopt;
  }
  if (json->contains("revision")) {
    if (!json->contains("expected_revision") && !json->contains("expectedRevision")) {
      (*json)["expected_revision"] = (*json)["revision"];
    }
    json->erase("revision");
  }
  ApplyRoutingsRequest request;
  const auto parsed = google::protobuf::util::JsonStringToMessage(JsonText(*json), &request);
  if (parsed.ok()) return request;
  error = "it holds something that no routing has: " + std::string(parsed.message());
  return std::nullopt;
}

}  // namespace holdfast::cli
