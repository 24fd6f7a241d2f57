#include "tools/fleet/check_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "tools/fleet/duration_text.h"

namespace holdfast::fleet {
namespace {

namespace wire = controlplane::v1;

constexpr std::uint32_t kCheckersMax = 100'000;
constexpr std::uint32_t kConcurrencyMax = 100'000;
constexpr std::int64_t kInARowMax = 1'000;

const std::map<std::string, wire::CheckLevel>& Levels() {
  static const std::map<std::string, wire::CheckLevel> kLevels = {
      {"basic", wire::CHECK_LEVEL_BASIC}, {"egress", wire::CHECK_LEVEL_EGRESS}, {"target", wire::CHECK_LEVEL_TARGET}};
  return kLevels;
}

}  // namespace

bool CheckOptions::Checks(wire::CheckLevel level) const {
  return std::find(levels.begin(), levels.end(), level) != levels.end();
}

void DescribeCheckOptions(CLI::App& app, RawCheckOptions& raw) {
  CheckOptions& options = raw.options;
  judge::HealthSettings& health = options.health;
  app.add_option("--checkers", options.checkers, "simulated checkers")
      ->check(CLI::Range(0U, kCheckersMax))
      ->capture_default_str();
  app.add_option("--checker-concurrency", options.concurrency, "checks that one checker runs at a time")
      ->check(CLI::Range(1U, kConcurrencyMax))
      ->capture_default_str();
  app.add_option("--check-levels", raw.levels, "what the checkers check, as in basic,egress")
      ->delimiter(',')
      ->check(CLI::IsMember(Levels()))
      ->default_str("basic,egress,target");
  app.add_option("--dead-share", options.dead_share, "of the proxies, at any moment")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--flip-every", raw.flip_every, "how often a proxy that comes and goes does so; 0: none does")
      ->capture_default_str();
  app.add_option("--health-basic-interval", raw.basic_interval, "the daemon's health.basic.interval")
      ->capture_default_str();
  app.add_option("--health-egress-interval", raw.egress_interval, "its health.egress.interval")->capture_default_str();
  app.add_option("--health-suspect-interval", raw.suspect_interval, "its health.suspect_interval")
      ->capture_default_str();
  app.add_option("--health-unhealthy-max-interval", raw.unhealthy_max_interval, "its health.unhealthy_max_interval")
      ->capture_default_str();
  app.add_option("--health-timeout", raw.timeout, "the longer of its health.basic.timeout and health.egress.timeout")
      ->capture_default_str();
  app.add_option("--health-failures", health.failures_to_unhealthy, "its health.failures_to_unhealthy")
      ->check(CLI::Range(std::int64_t{1}, kInARowMax))
      ->capture_default_str();
  app.add_option("--health-passes", health.passes_from_unhealthy, "its health.passes_from_unhealthy")
      ->check(CLI::Range(std::int64_t{1}, kInARowMax))
      ->capture_default_str();
  app.add_option("--health-margin", raw.margin, "what the pool's states may be behind beyond that")
      ->capture_default_str();
}

std::optional<std::string> ReadCheckOptions(RawCheckOptions& raw) {
  CheckOptions& options = raw.options;
  options.levels.clear();
  for (const std::string& level : raw.levels) options.levels.push_back(Levels().at(level));
  const auto flip_every = ParseDurationText(raw.flip_every);
  if (!flip_every) return "--flip-every '" + raw.flip_every + "' is no duration; write it as 10m, 90s or 0";
  options.flip_every = *flip_every;

  judge::HealthSettings& health = options.health;
  const struct {
    const char* name;
    const std::string& text;
    std::int64_t& value;
  } durations[] = {{"--health-basic-interval", raw.basic_interval, health.basic_interval_us},
                   {"--health-egress-interval", raw.egress_interval, health.egress_interval_us},
                   {"--health-suspect-interval", raw.suspect_interval, health.suspect_interval_us},
                   {"--health-unhealthy-max-interval", raw.unhealthy_max_interval, health.unhealthy_max_interval_us},
                   {"--health-timeout", raw.timeout, health.timeout_us},
                   {"--health-margin", raw.margin, health.margin_us}};
  for (const auto& [name, text, value] : durations) {
    const auto duration = ParseDurationText(text);
    if (!duration) return std::string(name) + " '" + text + "' is no duration; write it as 60s, 250ms or 10m";
    value = duration->count();
  }
  return std::nullopt;
}

}  // namespace holdfast::fleet
