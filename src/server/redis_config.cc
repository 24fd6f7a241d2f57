#include "server/redis_config.h"

#include <absl/strings/str_cat.h>

#include "server/secret_file.h"

namespace holdfast::server {
namespace {

// absl of this system has a string_view of its own.
absl::string_view View(std::string_view text) { return absl::string_view(text.data(), text.size()); }

absl::Status Unfit(const std::string& what) { return absl::InvalidArgumentError(what); }

absl::Status CheckPlaces(const RedisConfig& config, std::string_view needed_by) {
  if (config.addresses.empty() == config.sentinels.empty()) {
    return Unfit(absl::StrCat(
        View(needed_by), " is redis, ",
        config.addresses.empty() ? "and nothing says where that is" : "and both its addresses and sentinels are given",
        ": set pool.redis.addresses, or pool.redis.sentinels and pool.redis.sentinel_master"));
  }
  if (config.sentinels.empty() != config.sentinel_master.empty()) {
    return Unfit(
        "pool.redis.sentinels and pool.redis.sentinel_master go together: sentinels are asked for a master by its "
        "name; set both, or neither");
  }
  return absl::OkStatus();
}

absl::Status CheckUser(const std::string& user, const std::string& password_file, absl::string_view name) {
  if (user.empty() || !password_file.empty()) return absl::OkStatus();
  return Unfit(absl::StrCat("pool.redis.", name, " is given without pool.redis.",
                            name == "user" ? "password_file" : "sentinel_password_file",
                            ": write the password into a file and name that"));
}

absl::Status ParsePlaces(const std::vector<std::string>& texts, absl::string_view name, bool allow_plaintext,
                         std::vector<pool::RedisAddress>& places) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string place = absl::StrCat("pool.redis.", name, "[", i, "]: ");
    // Not shown: what stands before it may be a password.
    if (texts[i].find('@') != std::string::npos && !texts[i].starts_with("unix:")) {
      return Unfit(absl::StrCat(place,
                                "an address takes no @; the user goes into pool.redis.user, the password into "
                                "the file that pool.redis.password_file names"));
    }
    const absl::StatusOr<pool::RedisAddress> address = pool::ParseRedisAddress(texts[i]);
    if (!address.ok()) return Unfit(absl::StrCat(place, address.status().message()));
    if (absl::Status status = pool::CheckPlaintext(*address, allow_plaintext); !status.ok()) {
      return Unfit(absl::StrCat(place, status.message()));
    }
    places.push_back(*address);
  }
  return absl::OkStatus();
}

// All but the passwords.
absl::StatusOr<pool::RedisSettings> SettingsOf(const RedisConfig& config, std::string_view needed_by) {
  pool::RedisSettings settings;
  settings.sentinel_master = config.sentinel_master;
  settings.sentinel_user = config.sentinel_user;
  settings.user = config.user;
  settings.database = static_cast<std::uint32_t>(config.database);
  settings.key_prefix = config.key_prefix;
  settings.allow_plaintext = config.allow_plaintext;
  settings.connect_timeout = config.connect_timeout;
  absl::Status status = CheckPlaces(config, needed_by);
  if (status.ok()) status = ParsePlaces(config.addresses, "addresses", config.allow_plaintext, settings.addresses);
  if (status.ok()) status = ParsePlaces(config.sentinels, "sentinels", config.allow_plaintext, settings.sentinels);
  if (status.ok()) status = CheckUser(config.user, config.password_file, "user");
  if (status.ok()) status = CheckUser(config.sentinel_user, config.sentinel_password_file, "sentinel_user");
  if (!status.ok()) return status;
  return settings;
}

absl::Status PutSecret(const std::string& path, std::string_view setting, pool::Secret& secret) {
  if (path.empty()) return absl::OkStatus();
  absl::StatusOr<pool::Secret> read = ReadSecretFile(path, setting);
  if (read.ok()) secret = *std::move(read);
  return read.status();
}

}  // namespace

absl::Status CheckRedisConfig(const RedisConfig& config, std::string_view needed_by) {
  absl::StatusOr<pool::RedisSettings> settings = SettingsOf(config, needed_by);
  if (!settings.ok()) return settings.status();
  // What is in the files is seen at the start.
  if (!config.password_file.empty()) settings->password = pool::Secret("of its file");
  if (!config.sentinel_password_file.empty()) settings->sentinel_password = pool::Secret("of its file");
  const absl::Status status = pool::Validate(*settings);
  return status.ok() ? status : Unfit(absl::StrCat("pool.redis: ", status.message()));
}

absl::StatusOr<pool::RedisSettings> ReadRedisSettings(const RedisConfig& config, std::string_view needed_by) {
  absl::StatusOr<pool::RedisSettings> settings = SettingsOf(config, needed_by);
  if (!settings.ok()) return settings;
  absl::Status status = PutSecret(config.password_file, "pool.redis.password_file", settings->password);
  if (status.ok()) {
    status = PutSecret(config.sentinel_password_file, "pool.redis.sentinel_password_file", settings->sentinel_password);
  }
  if (status.ok()) status = pool::Validate(*settings);
  if (!status.ok()) return status;
  return settings;
}

}  // namespace holdfast::server
