#include "server/config_field.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "server/config_text.h"

namespace holdfast::server {
namespace {

using nlohmann::json;

constexpr std::size_t kMostShown = 80;  // of a value that is refused
constexpr double kMillion = 1e6;

std::string Shown(const json& value) {
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.find('@') != std::string::npos) return "what was given (not shown: before an @ may stand a password)";
  return text.size() <= kMostShown ? text : absl::StrCat(text.substr(0, kMostShown), "…");
}

std::string OneOf(const std::vector<std::string>& words) {
  std::string text = "one of";
  for (const std::string& word : words) absl::StrAppend(&text, " \"", word, "\"");
  return text;
}

std::function<absl::Status(const json&)> Setter(const ConfigField& field, std::function<bool(const json&)> take) {
  return [name = field.name, allowed = field.allowed, take = std::move(take)](const json& value) {
    if (take(value)) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", Shown(value), " is not allowed; it takes ", allowed));
  };
}

// Makes a ConfigField of each setting that Describe names.
struct FieldMaker {
  std::vector<ConfigField>& fields;

  ConfigField& Add(std::string name, std::string allowed, bool is_text, std::function<bool(const json&)> take,
                   std::function<json()> get) {
    ConfigField field{std::move(name), std::move(allowed), is_text, false, nullptr, std::move(get)};
    field.set = Setter(field, std::move(take));
    return fields.emplace_back(std::move(field));
  }

  void text(const char* name, std::string& member) {
    const auto take = [&member](const json& value) {
      if (!value.is_string() || value.get_ref<const std::string&>().empty()) return false;
      member = value.get<std::string>();
      return true;
    };
    Add(name, "a text that is not empty", true, take, [&member] { return json(member); });
  }

  void text_or_none(const char* name, std::string& member) {
    const auto take = [&member](const json& value) {
      if (!value.is_string()) return false;
      member = value.get<std::string>();
      return true;
    };
    Add(name, "a text; empty: none", true, take, [&member] { return json(member); });
  }

  void texts(const char* name, std::vector<std::string>& member, std::size_t most) {
    const auto take = [&member, most](const json& value) {
      const auto is_text = [](const json& one) {
        return one.is_string() && !one.get_ref<const std::string&>().empty();
      };
      if (!value.is_array() || value.size() > most || !std::all_of(value.begin(), value.end(), is_text)) return false;
      member = value.get<std::vector<std::string>>();
      return true;
    };
    Add(name, absl::StrCat("a list of at most ", most, " texts"), false, take, [&member] {
      return json(member);
    }).is_list = true;
  }

  void duration(const char* name, Duration& member, Duration least, Duration most) {
    const auto take = [&member, least, most](const json& value) {
      if (!value.is_string()) return false;
      const auto parsed = ParseDurationText(value.get_ref<const std::string&>());
      if (!parsed || *parsed < least || *parsed > most) return false;
      member = *parsed;
      return true;
    };
    Add(name, absl::StrCat("a duration from ", DurationText(least), " to ", DurationText(most), ", as text"), true,
        take, [&member] { return json(DurationText(member)); });
  }

  void size(const char* name, std::uint64_t& member, std::uint64_t least, std::uint64_t most) {
    const auto take = [&member, least, most](const json& value) {
      if (!value.is_string()) return false;
      const auto parsed = ParseSizeText(value.get_ref<const std::string&>());
      if (!parsed || *parsed < least || *parsed > most) return false;
      member = *parsed;
      return true;
    };
    Add(name, absl::StrCat("a size from ", SizeText(least), " to ", SizeText(most), ", as text"), true, take,
        [&member] { return json(SizeText(member)); });
  }

  void count(const char* name, std::uint64_t& member, std::uint64_t least, std::uint64_t most) {
    const auto take = [&member, least, most](const json& value) {
      if (!value.is_number_unsigned()) return false;
      const auto number = value.get<std::uint64_t>();
      if (number < least || number > most) return false;
      member = number;
      return true;
    };
    Add(name, absl::StrCat("a whole number from ", least, " to ", most), false, take,
        [&member] { return json(member); });
  }

  void ratio(const char* name, double& member, double above, double most) {
    const auto take = [&member, above, most](const json& value) {
      if (!value.is_number()) return false;
      const auto number = value.get<double>();
      if (!(number > above) || !(number <= most)) return false;
      member = number;
      return true;
    };
    Add(name, absl::StrCat("a number above ", above, " and at most ", most), false, take,
        [&member] { return json(member); });
  }

  // A fraction, kept in parts per million.
  void share(const char* name, std::uint64_t& ppm) {
    const auto take = [&ppm](const json& value) {
      if (!value.is_number()) return false;
      const auto number = value.get<double>();
      if (!(number >= 0.0) || !(number <= 1.0)) return false;
      ppm = static_cast<std::uint64_t>(std::llround(number * kMillion));
      return true;
    };
    Add(name, "a number from 0 to 1", false, take, [&ppm] { return json(static_cast<double>(ppm) / kMillion); });
  }

  void choice(const char* name, std::string& member, std::initializer_list<const char*> words) {
    const std::vector<std::string> known(words.begin(), words.end());
    const auto take = [&member, known](const json& value) {
      if (!value.is_string()) return false;
      if (std::find(known.begin(), known.end(), value.get_ref<const std::string&>()) == known.end()) return false;
      member = value.get<std::string>();
      return true;
    };
    Add(name, OneOf(known), true, take, [&member] { return json(member); });
  }

  // One of some words, kept as its place among them.
  void word(const char* name, std::uint64_t& place, std::initializer_list<const char*> words) {
    const std::vector<std::string> known(words.begin(), words.end());
    const auto take = [&place, known](const json& value) {
      if (!value.is_string()) return false;
      const auto found = std::find(known.begin(), known.end(), value.get_ref<const std::string&>());
      if (found == known.end()) return false;
      place = static_cast<std::uint64_t>(found - known.begin());
      return true;
    };
    Add(name, OneOf(known), true, take, [&place, known] { return json(known[place]); });
  }

  void flag(const char* name, bool& member) {
    const auto take = [&member](const json& value) {
      if (!value.is_boolean()) return false;
      member = value.get<bool>();
      return true;
    };
    Add(name, "true or false", false, take, [&member] { return json(member); });
  }
};

}  // namespace

std::vector<ConfigField> FieldsOf(Config& config) {
  std::vector<ConfigField> fields;
  Config::Describe(config, FieldMaker{fields});
  return fields;
}

}  // namespace holdfast::server
