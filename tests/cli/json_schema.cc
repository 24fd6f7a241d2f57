#include "tests/cli/json_schema.h"

#include <regex.h>

#include <algorithm>
#include <set>

namespace holdfast::cli {
namespace {

using Json = nlohmann::json;

const std::set<std::string> kKnown = {"$schema", "$id",     "$defs",   "$ref",       "title",    "description",
                                      "type",    "const",   "enum",    "properties", "required", "additionalProperties",
                                      "items",   "minimum", "maximum", "pattern",    "minLength"};

// The schemas keep to what ECMAScript and POSIX read alike. (std::regex does not compile cleanly with sanitizers.)
bool Matches(const std::string& pattern, const std::string& text) {
  regex_t compiled;
  if (regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) return false;
  const bool matches = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return matches;
}

class Checker {
 public:
  explicit Checker(const Json& root) : root_(root) {}

  void Check(const Json& schema, const Json& value, const std::string& place) {
    if (schema.is_boolean()) {
      if (!schema.get<bool>()) Fault(place, "may not be there");
      return;
    }
    for (const auto& [keyword, unused] : schema.items()) {
      if (kKnown.count(keyword) == 0) Fault(place, "the schema uses \"" + keyword + "\", which nobody checks");
    }
    if (schema.contains("$ref")) return CheckReference(schema["$ref"].get<std::string>(), value, place);
    if (schema.contains("type") && !HasType(schema["type"], value)) {
      return Fault(place, "is no " + schema["type"].dump());
    }
    if (schema.contains("const") && schema["const"] != value) Fault(place, "is not " + schema["const"].dump());
    if (schema.contains("enum")) CheckEnum(schema["enum"], value, place);
    if (value.is_number()) CheckNumber(schema, value, place);
    if (value.is_string()) CheckText(schema, value.get<std::string>(), place);
    if (value.is_object()) CheckObject(schema, value, place);
    if (value.is_array() && schema.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i) Check(schema["items"], value[i], place + "/" + std::to_string(i));
    }
  }

  std::vector<std::string> faults;

 private:
  void Fault(const std::string& place, const std::string& what) { faults.push_back(place + ": " + what); }

  void CheckReference(const std::string& reference, const Json& value, const std::string& place) {
    const std::string begin = "#/$defs/";
    const std::string name = reference.rfind(begin, 0) == 0 ? reference.substr(begin.size()) : "";
    if (name.empty() || !root_.contains("$defs") || !root_["$defs"].contains(name)) {
      return Fault(place, "the schema refers to " + reference + ", which is not there");
    }
    Check(root_["$defs"][name], value, place);
  }

  static bool HasOneType(const std::string& type, const Json& value) {
    if (type == "null") return value.is_null();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "array") return value.is_array();
    return type == "object" && value.is_object();
  }

  static bool HasType(const Json& type, const Json& value) {
    if (type.is_string()) return HasOneType(type.get<std::string>(), value);
    return std::any_of(type.begin(), type.end(),
                       [&](const Json& one) { return HasOneType(one.get<std::string>(), value); });
  }

  void CheckEnum(const Json& choices, const Json& value, const std::string& place) {
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) Fault(place, "is none of " + choices.dump());
  }

  void CheckNumber(const Json& schema, const Json& value, const std::string& place) {
    const double number = value.get<double>();
    if (schema.contains("minimum") && number < schema["minimum"].get<double>()) Fault(place, "is below the minimum");
    if (schema.contains("maximum") && number > schema["maximum"].get<double>()) Fault(place, "is above the maximum");
  }

  void CheckText(const Json& schema, const std::string& text, const std::string& place) {
    if (schema.contains("minLength") && text.size() < schema["minLength"].get<std::size_t>()) {
      Fault(place, "is too short");
    }
    if (!schema.contains("pattern")) return;
    const std::string pattern = schema["pattern"].get<std::string>();
    if (!Matches(pattern, text)) Fault(place, "does not match " + pattern);
  }

  void CheckObject(const Json& schema, const Json& value, const std::string& place) {
    for (const Json& name : schema.value("required", Json::array())) {
      if (!value.contains(name.get<std::string>())) Fault(place, "lacks " + name.dump());
    }
    const Json properties = schema.value("properties", Json::object());
    const Json others = schema.value("additionalProperties", Json(true));
    for (const auto& [name, member] : value.items()) {
      Check(properties.contains(name) ? properties[name] : others, member, place + "/" + name);
    }
  }

  const Json& root_;
};

}  // namespace

std::vector<std::string> SchemaFaults(const Json& schema, const Json& value) {
  Checker checker(schema);
  checker.Check(schema, value, "");
  return checker.faults;
}

}  // namespace holdfast::cli
