#include "server/config_load.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "base/sha256.h"
#include "server/config_field.h"
#include "server/config_suggestion.h"
#include "server/redis_config.h"

namespace holdfast::server {
namespace {

using nlohmann::json;

// absl of this system has a string_view of its own.
absl::string_view View(std::string_view text) { return absl::string_view(text.data(), text.size()); }

// "line 3, column 17" of an offset.
std::string PlaceOf(std::string_view text, std::size_t offset) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t i = 0; i < text.size() && i + 1 < offset; ++i) {
    column = text[i] == '\n' ? 1 : column + 1;
    line += text[i] == '\n';
  }
  return absl::StrCat("line ", line, ", column ", column);
}

// Keys that stand twice in one object: the parser alone would take the last silently.
class RepeatedKeys {
 public:
  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    const auto level = static_cast<std::size_t>(depth);
    if (event == json::parse_event_t::object_start) {
      if (levels_.size() <= level + 1) levels_.resize(level + 2);
      levels_[level + 1].clear();
    }
    if (event == json::parse_event_t::key) {
      if (levels_.size() <= level) levels_.resize(level + 1);
      const std::string& key = parsed.get_ref<const std::string&>();
      if (!levels_[level].insert(key).second && repeated_.empty()) repeated_ = key;
    }
    return true;
  }
  const std::string& repeated() const { return repeated_; }

 private:
  std::vector<std::set<std::string>> levels_;
  std::string repeated_;
};

absl::StatusOr<json> Parse(std::string_view text, std::string_view name) {
  RepeatedKeys repeated;
  json parsed;
  try {
    parsed = json::parse(text.begin(), text.end(), std::ref(repeated), true, true);
  } catch (const json::parse_error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(View(name), ", ", PlaceOf(text, error.byte),
                     ": this is no JSON; mend what stands there (comments are // and /* */)"));
  } catch (const json::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(View(name), ": this cannot be read: ", error.what()));
  }
  if (!repeated.repeated().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(View(name), ": the key \"", repeated.repeated(), "\" stands twice in one object; keep one"));
  }
  if (!parsed.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(View(name), ": the configuration is one JSON object: {…}"));
  }
  return parsed;
}

const ConfigField* Find(const std::vector<ConfigField>& fields, const std::string& name) {
  for (const ConfigField& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

bool IsGroup(const std::vector<ConfigField>& fields, const std::string& name) {
  for (const ConfigField& field : fields) {
    if (field.name.rfind(name + ".", 0) == 0) return true;
  }
  return false;
}

absl::Status UnknownKey(const std::vector<ConfigField>& fields, const std::string& name) {
  std::vector<std::string> names;
  for (const ConfigField& field : fields) names.push_back(field.name);
  const std::string nearest = NearestName(name, names);
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": there is no such setting",
      nearest.empty() ? "; --check-config prints them all" : absl::StrCat("; did you mean ", nearest, "?")));
}

absl::Status ApplyObject(const json& object, const std::string& prefix, const std::vector<ConfigField>& fields) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix + key;
    if (const ConfigField* field = Find(fields, name)) {
      if (absl::Status status = field->set(value); !status.ok()) return status;
      continue;
    }
    if (!IsGroup(fields, name)) return UnknownKey(fields, name);
    if (!value.is_object()) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": it is a group of settings and takes an object: {…}"));
    }
    if (absl::Status status = ApplyObject(value, name + ".", fields); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Of --set: texts stand without quotes, those of a list between commas.
json AssignedValue(const ConfigField& field, const std::string& text) {
  if (field.is_list) {
    json list = json::array();
    if (!text.empty()) list = std::vector<std::string>(absl::StrSplit(text, ','));
    return list;
  }
  json scalar = json::parse(text, nullptr, false);
  return field.is_text || scalar.is_discarded() ? json(text) : scalar;
}

json ToJson(const Config& config) {
  Config copy = config;
  json out = json::object();
  for (const ConfigField& field : FieldsOf(copy)) {
    json* place = &out;
    std::string name = field.name;
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.')) {
      place = &(*place)[name.substr(0, dot)];
      name = name.substr(dot + 1);
    }
    (*place)[name] = field.get();
  }
  return out;
}

absl::Status Unfit(std::string_view what) { return absl::InvalidArgumentError(View(what)); }

absl::Status CheckHealth(const Settings& settings) {
  if (settings.failures_to_suspect > settings.failures_to_unhealthy) {
    return Unfit(
        "health.failures_to_suspect is above health.failures_to_unhealthy: a proxy is SUSPECT before it is UNHEALTHY; "
        "lower it, or raise the other");
  }
  if (settings.suspect_interval > settings.unhealthy_max_interval) {
    return Unfit(
        "health.suspect_interval is above health.unhealthy_max_interval: checks of what is UNHEALTHY begin with the "
        "first and back off to the second; lower it, or raise the other");
  }
  if (settings.outcomes_failures > settings.outcomes_count) {
    return Unfit(
        "health.outcomes.failures is above health.outcomes.count: of so few outcomes never so many can have failed; "
        "lower it, or raise the other");
  }
  return absl::OkStatus();
}

// Only where something uses it: a place that is not used may be no place at all.
absl::Status CheckRedis(const Config& config) {
  if (config.pool.store == "redis") return CheckRedisConfig(config.pool.redis, "pool.store");
  return config.clock_source == "redis" ? CheckRedisConfig(config.pool.redis, "clock.source") : absl::OkStatus();
}

}  // namespace

absl::Status LoadConfigFile(const std::string& path, Config& config) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    return absl::NotFoundError(
        absl::StrCat("the configuration ", path, " cannot be read; name a file that is there and not empty"));
  }
  return LoadConfigText(text.str(), path, config);
}

absl::Status LoadConfigText(std::string_view text, std::string_view name, Config& config) {
  const absl::StatusOr<json> parsed = Parse(text, name);
  if (!parsed.ok()) return parsed.status();
  Config changed = config;
  if (absl::Status status = ApplyObject(*parsed, "", FieldsOf(changed)); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(View(name), ": ", status.message()));
  }
  config = std::move(changed);
  return absl::OkStatus();
}

absl::Status SetConfigValue(std::string_view assignment, Config& config) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("--set ", View(assignment), ": write key=value, as in control_plane.session_ttl=20s"));
  }
  const std::string name(assignment.substr(0, equals));
  const std::string text(assignment.substr(equals + 1));
  Config changed = config;
  const std::vector<ConfigField> fields = FieldsOf(changed);
  const ConfigField* field = Find(fields, name);
  absl::Status status;
  if (field == nullptr) {
    status = UnknownKey(fields, name);
  } else {
    status = field->set(AssignedValue(*field, text));
  }
  if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat("--set ", status.message()));
  config = std::move(changed);
  return absl::OkStatus();
}

absl::Status CheckConfig(const Config& config) {
  const Settings& settings = config.settings;
  if (settings.runtime_ttl < settings.report_interval) {
    return Unfit(
        "control_plane.runtime_ttl is below control_plane.report_interval: every report would be over before the "
        "next one comes; raise it, to three intervals or so");
  }
  if (settings.session_ttl < settings.report_interval) {
    return Unfit(
        "control_plane.session_ttl is below control_plane.report_interval: every session would expire between two "
        "reports; raise it");
  }
  if (settings.snapshot_validity - settings.renewal_interval <= std::chrono::seconds(1)) {
    return Unfit(
        "control_plane.snapshot_validity must be more than 1s above control_plane.renewal_interval: a renewal has to "
        "come before what it renews is over, and nothing with less than 1s left is written");
  }
  if (settings.ack_timeout >= settings.snapshot_validity) {
    return Unfit(
        "control_plane.ack_timeout must be below control_plane.snapshot_validity: an answer that comes later is for "
        "a snapshot that is over");
  }
  if (settings.default_lifetime <= settings.allocation_safety_margin) {
    return Unfit(
        "control_plane.default_lifetime must be above control_plane.allocation_safety_margin: no imported proxy would "
        "ever be usable");
  }
  if (absl::Status status = CheckHealth(settings); !status.ok()) return status;
  if (absl::Status status = CheckRedis(config); !status.ok()) return status;
  if (config.keepalive_timeout >= config.keepalive_time) {
    return Unfit("control_plane.keepalive_timeout must be below control_plane.keepalive_time");
  }
  const double share = static_cast<double>(config.command_queue_bytes) * config.command_queue_share;
  if (share < 4.0 * static_cast<double>(config.max_receive)) {
    return Unfit(
        "one peer's share of the queue (control_plane.command_queue_bytes times control_plane.command_queue_share) is "
        "below four times control_plane.max_receive, what one call may weigh there; raise the queue");
  }
  return absl::OkStatus();
}

std::string ConfigJson(const Config& config) {
  return ToJson(config).dump(2, ' ', false, json::error_handler_t::replace);
}

Hash256 ConfigHash(const Config& config) {
  return Sha256Of(ToJson(config).dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace holdfast::server
