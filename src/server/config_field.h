// One setting as the file names it: how a value is taken, with its range, and how it is shown.
//
// Life cycle: made from Config::Describe for one Config, which must outlive it. Thread: that of the Config.

#pragma once

#include <absl/status/status.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "server/config.h"

namespace holdfast::server {

struct ConfigField {
  std::string name;      // "control_plane.session_ttl"
  std::string allowed;   // for people: "a duration from 300ms to 1h"
  bool is_text = false;  // its value is a JSON string
  bool is_list = false;  // its value is a JSON array of them
  // InvalidArgument names the setting, what was given and what is allowed.
  std::function<absl::Status(const nlohmann::json& value)> set;
  std::function<nlohmann::json()> get;
};

std::vector<ConfigField> FieldsOf(Config& config);

}  // namespace holdfast::server
